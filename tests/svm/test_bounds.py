"""Margins b ≥ 0 other than one, zero among them, beside equalities: in every norm, by every method, at every size."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from svm_references import by_cvxpy, feasible, matrix

from attnsvm import geometry
from attnsvm.data.problems import Problems
from attnsvm.svm import Constraints, Status, certified, separation, sequence, solve
from attnsvm.svm.methods.choice import ACTIVE_SET, CONIC, INTERIOR, LAGRANGIAN, WORKING_SET

CASES = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
WAYS = [
    ("fro", ACTIVE_SET),
    ("fro", LAGRANGIAN),
    ("nuc", INTERIOR),
    ("nuc", INTERIOR + WORKING_SET),
    ("nuc", CONIC),
    ("spectral", CONIC),
    ("l1", CONIC + WORKING_SET),
    ("linf", CONIC),
    ("l1.75", CONIC),
]


def with_margins(seed, n, T, d, sets=False, separable=True, spread=(0.5, 1.0, 3.0)):
    """Six in ten margins are zero, the others one of `spread`; the selection that of a Gaussian W, or anything."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    if seed % 4 == 1:
        tokens, queries = np.round(tokens), np.round(queries)
    if seed % 4 == 2:
        tokens[:, -1] = tokens[:, 0]
    scores = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, d)), queries)
    selected = scores.argmax(1) if separable else rng.integers(T, size=n)
    chosen = np.arange(T) == selected[:, None]
    if sets:
        chosen |= rng.random((n, T)) < 0.2
    bound = np.where(rng.random((n, T)) < 0.6, 0.0, rng.choice(spread, size=(n, T)))
    return separation(tokens, queries, chosen, bound)


def small(draw):
    n, T, d = (draw(st.integers(2, 6)) for _ in range(3))
    return with_margins(draw(st.integers(0, 10**6)), n, T, d, draw(st.booleans()), draw(st.booleans()))


@pytest.mark.parametrize(("norm", "method"), WAYS, ids=lambda word: word.replace(" ", "-"))
@settings(CASES, max_examples=15)
@given(c=st.composite(small)())
def test_every_method_finds_what_cvxpy_finds(norm, method, c):
    solution = solve(c, norm, method=method)
    if not feasible(c):
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.SOLVED, (solution.rejected, solution.gap)
    # cvxpy's own tolerance is 1e-8 relative and absolute; its worst here was 1e-6
    assert np.isclose(geometry.get(norm).value(solution.W), by_cvxpy(c, norm), rtol=1e-5, atol=1e-6)
    reached = matrix(c) @ solution.W.ravel()
    room = 1e-9 * max(1.0, np.linalg.norm(matrix(c), axis=1).max(initial=0.0) * np.linalg.norm(solution.W))
    assert (reached >= c.bound - room)[~c.equality].all()
    assert (np.abs(reached - c.bound) <= room)[c.equality].all()


@st.composite
def nasty(draw):
    """Margins from 1e-6 to 3 beside zeros; units of tokens, queries and margins from 1e-8 to 1e8."""
    n, T, d = draw(st.integers(1, 6)), draw(st.integers(2, 6)), draw(st.integers(1, 6))
    spread = draw(st.sampled_from([(1.0,), (1.0, 1e-2), (1.0, 1e-6, 3.0)]))
    c = with_margins(draw(st.integers(0, 10**6)), n, T, d, draw(st.booleans()), draw(st.booleans()), spread)
    left, right, bound = (10.0 ** draw(st.floats(-8, 8)) for _ in range(3))
    return Constraints(c.left * left, c.right * right, c.bound * bound, c.equality, c.index)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@CASES
@given(c=nasty())
def test_every_answer_is_proved(norm, c):
    solution = solve(c, norm)
    assert solution.status in (Status.SOLVED, Status.INFEASIBLE, Status.REMOTE), (solution.gap, solution.rejected)


def test_an_inequality_that_follows_from_the_equalities_refutes_nothing():
    """Its part outside of their span is zero, and what it lacks is zero up to rounding."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 4))
    left = np.stack([first, second, 0.3 * first + 0.7 * second])
    right = np.broadcast_to(rng.normal(size=3), (3, 3))
    bound = np.array([1 / 3, 1 / 7, 0.3 / 3 + 0.7 / 7])
    index = np.zeros((3, 3), dtype=int)
    assert solve(Constraints(left, right, bound, np.array([True, True, False]), index)).solved


def test_margins_go_where_they_are_said_to_go():
    rng = np.random.default_rng(0)
    tokens, queries, selected = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 5)), np.array([1, 0, 3])
    for bound in (2.0, rng.random(3), rng.random((3, 4))):
        c = separation(tokens, queries, selected, bound)
        by_token = np.broadcast_to(np.reshape(bound, np.shape(bound) + (1,) * (2 - np.ndim(bound))), (3, 4))
        assert (c.bound == by_token[c.index[:, 0], c.index[:, 2]]).all()
    rows, tokens = rng.integers(3, size=(2, 4)), tokens[:2]
    for bound in (rng.random(2), rng.random((2, 4)), rng.random((2, 4, 4))):
        c = sequence(tokens, rows, bound=bound)
        whole = np.broadcast_to(np.reshape(bound, np.shape(bound) + (1,) * (3 - np.ndim(bound))), (2, 4, 4))
        assert (c.bound == whole[c.index[:, 0] // 4, c.index[:, 0] % 4, c.index[:, 2]]).all()


def test_instances_have_margins_of_their_own():
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(2, 3, 4, 6)), rng.normal(size=(2, 3, 6))
    problems = Problems(tokens, queries, np.ones((2, 3)), rng.normal(size=(2, 6)), np.arange(2))
    selected, bound = rng.integers(4, size=(2, 3)), rng.integers(2, size=(2, 3)).astype(float)
    found = certified(problems, selected, "fro", bound=bound)
    for s in range(2):
        alone = solve(separation(tokens[s], queries[s], selected[s], bound[s]))
        assert (found["W"][s] == alone.W).all()
