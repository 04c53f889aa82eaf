"""The margin ratio: against closed forms, against single constraints one by one, and its bound."""

from functools import cache

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio, smallest_margin
from attnsvm.data.draws import draw, gaussian
from attnsvm.svm import certified, separation

NAMES = (*geometry.NAMES, "l1.75", "l3")
PROBLEMS = draw(gaussian, range(3), 3, 4, 6)
SELECTED = np.array([[0, 1, 2], [3, 3, 0], [1, 0, 2]])


@cache  # not when the file is collected, which every process of the run does
def solved(name):
    return certified(PROBLEMS, SELECTED, name)


def ratio(W, name, solution=None):
    given = solved(name)["W"] if solution is None else solution
    return margin_ratio(PROBLEMS.tokens, PROBLEMS.queries, W, SELECTED, name, given)


def matrices(seed, *leading):
    return np.random.default_rng(seed).normal(size=(*leading, 6, 6))


@pytest.mark.parametrize("name", NAMES)
def test_with_one_constraint_it_is_a_quotient_of_a_norm_and_its_dual(name):
    """The least norm with ⟨A, W⟩ ≥ 1 is 1/‖A‖_dual, so that ρ = ⟨A, W⟩ / (‖W‖ ‖A‖_dual), and 1 at the steepest W."""
    problem, selected = draw(gaussian, range(5), 1, 2, 6), np.array([[0], [1], [0], [1], [1]])
    measure = geometry.get(name)
    W, A = matrices(1, 5, 7), np.empty((5, 6, 6))
    for s, (tokens, queries, own) in enumerate(zip(problem.tokens, problem.queries, selected, strict=True)):
        A[s] = np.outer(tokens[0, own[0]] - tokens[0, 1 - own[0]], queries[0])
    best = np.stack([measure.steepest(a) for a in A]) / measure.dual(A)[:, None, None]
    measured = margin_ratio(problem.tokens, problem.queries, W, selected, name, best)
    expected = (A[:, None] * W).sum((-2, -1)) / (measure.value(W) * measure.dual(A)[:, None])
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-14)  # 36 products of order one
    at_best = margin_ratio(problem.tokens, problem.queries, 7.0 * best, selected, name, best)
    np.testing.assert_allclose(at_best, 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_certified_solution_has_ratio_one_and_nothing_has_more(name):
    assert (solved(name)["status"] == "solved").all()
    np.testing.assert_allclose(ratio(3.0 * solved(name)["W"], name), 1.0, rtol=1e-9)  # margins are met to 1e-9
    others = np.stack([solved(other)["W"] for other in NAMES if other != name], axis=1)
    near = solved(name)["W"][:, None] + 1e-2 * matrices(2, 3, 200)
    for W in (others, near):
        assert (ratio(W, name) <= 1 + 1e-7).all()  # the gap that a solution may have
    assert (ratio(others, name) > 0).all(), "solutions of other norms separate the same tokens"
    assert ratio(others, name).max() < 1 - 1e-4, "and are others"


def test_the_smallest_margin_is_that_of_the_constraints_one_by_one():
    W = matrices(3, 3, 2, 4)
    measured = smallest_margin(PROBLEMS.tokens, PROBLEMS.queries, W, SELECTED)
    assert measured.shape == (3, 2, 4)
    for s in range(3):
        constraints = separation(PROBLEMS.tokens[s], PROBLEMS.queries[s], SELECTED[s])
        for place in np.ndindex(2, 4):
            assert measured[s][place] == pytest.approx(constraints.apply(W[s][place]).min(), rel=1e-12)


def test_without_a_solution_or_without_a_matrix_there_is_no_number():
    solution = solved("fro")["W"].copy()
    solution[1] = np.nan
    assert np.isnan(ratio(matrices(4, 3), "spectral", solution)).tolist() == [False, True, False]
    assert np.isnan(ratio(np.zeros((3, 6, 6)), "fro")).all()
