"""Copies of constraints are solved once, and the answer is that of the problem without them."""

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm.svm import separation, solve
from attnsvm.svm.methods import choice


def inputs(n=6):
    return gaussian(0, n, 5, 6)


def copied(problem, times):
    tokens, queries, selected = problem
    return np.tile(tokens, (times, 1, 1)), np.tile(queries, (times, 1)), np.tile(selected, times)


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_a_hundred_copies_are_solved_as_one(norm):
    one, many = separation(*inputs()), separation(*copied(inputs(), 100))
    alone, answer = solve(one, norm), solve(many, norm)
    assert answer.solved
    np.testing.assert_array_equal(answer.W, alone.W)
    np.testing.assert_array_equal(answer.dual[: len(one)], alone.dual)
    assert not answer.dual[len(one) :].any()


def test_no_method_sees_copies(monkeypatch):
    sizes = []
    least = choice.active_set.least_norm
    monkeypatch.setattr(choice.active_set, "least_norm", lambda A, *rest: sizes.append(len(A)) or least(A, *rest))
    solve(separation(*copied(inputs(), 7)))
    assert sizes == [24]


def test_an_infeasible_problem_is_refuted_on_the_first_copies():
    tokens, queries, selected = inputs()
    tokens[1], queries[1], selected[1] = tokens[0], queries[0], (selected[0] + 1) % 5
    c = separation(*copied((tokens, queries, selected), 3))
    answer = solve(c)
    assert answer.status.value == "infeasible"
    assert not answer.dual[len(c) // 3 :].any()


@pytest.mark.parametrize(("away", "named"), [(0.9e-12, True), (1.1e-12, False)])
def test_a_token_that_rounding_alone_tells_from_the_selected_one_is_named(away, named):
    problem = separation(np.array([[[3.0, 0], [3 * (1 - away), 0]]]), np.ones((1, 2)), np.array([0]))
    said = "token 1 of input 0 is a copy of the selected token 0 up to rounding" in str(solve(problem).rejected)
    assert (said, solve(problem).solved) == (named, not named)
