"""Copies of constraints are solved once, and the answer is that of the problem without them."""

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm.svm import separation, solve
from attnsvm.svm.methods import choice
from attnsvm.svm.reductions import distinct


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


def test_what_is_kept_are_the_first_with_all_that_they_need():
    tokens, queries, selected = inputs(n=3)
    tokens[0, (selected[0] + 1) % 5] = tokens[0, (selected[0] + 2) % 5]
    c = separation(*copied((tokens, queries, selected), 2))
    fewer = distinct(c)
    assert len(fewer.constraints) == 11
    assert fewer.constraints.factors.queries.shape == (3, 6)
    np.testing.assert_array_equal(fewer.constraints.left, c.left[fewer.rows])
    np.testing.assert_array_equal(fewer.constraints.right, c.right[fewer.rows])
    np.testing.assert_array_equal(fewer.constraints.index, c.index[fewer.rows])
    np.testing.assert_array_equal(np.flatnonzero(fewer.spread(np.ones(11))), fewer.rows)


def test_other_bounds_kinds_or_queries_are_no_copies():
    tokens, queries, selected = inputs(n=2)
    assert distinct(separation(tokens, queries, selected)) is None
    tokens[1], queries[1], selected[1] = tokens[0], queries[0], selected[0]
    assert len(distinct(separation(tokens, queries, selected)).rows) == 4
    assert distinct(separation(tokens, queries, selected, np.array([1.0, 2.0]))) is None
    sets = np.zeros((2, 5), dtype=bool)
    sets[[0, 1], selected] = True
    sets[1, (selected[1] + 1) % 5] = True
    c = separation(tokens, queries, sets)
    assert len(distinct(c).rows) >= 5
    queries[1, -1] += 1.0
    assert distinct(separation(tokens, queries, selected)) is None


def test_an_infeasible_problem_is_refuted_on_the_first_copies():
    tokens, queries, selected = inputs()
    tokens[1], queries[1], selected[1] = tokens[0], queries[0], (selected[0] + 1) % 5
    c = separation(*copied((tokens, queries, selected), 3))
    answer = solve(c)
    assert answer.status.value == "infeasible"
    assert not answer.dual[len(c) // 3 :].any()
