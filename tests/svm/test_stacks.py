"""Which rows of a stack count, and the problem of a layer whose rows share tokens.

Against what moves the output of a stack with hard selections, cvxpy, and every choice of active constraints in multiple
precision.
"""

from dataclasses import replace
from itertools import combinations

import cvxpy
import mpmath
import numpy as np
import pytest

from attnsvm.analysis.ends import equal_tokens
from attnsvm.architecture import counting_rows
from attnsvm.svm import Status, graded, layer_constraints, sequence, solve, without_copies
from attnsvm.svm.checker import check

S, H, n, T, d = 3, 2, 2, 4, 5


def selections(layers, heads, seed):
    draw = np.random.default_rng(seed)
    below = draw.integers(T, size=(S, layers - 1, heads, n, T))
    top = draw.integers(T, size=(S, heads, n, 1))
    return below, np.arange(T) == top[..., None], top[..., 0]


def output(X, below, top, residual, pushed=None):
    """The mixture at the top of one instance with hard selections; the output of one row (layer, i, q) is pushed."""
    for layer, heads in enumerate(below):
        X = X * residual + sum(np.take_along_axis(X, chosen[..., None], 1) for chosen in heads)
        if pushed is not None and pushed[0] == layer:
            X[pushed[1], pushed[2]] += 1.0
    return sum(np.take_along_axis(X, chosen[:, None, None], 1) for chosen in top)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize(("layers", "heads"), [(2, 1), (3, 1), (3, 2), (5, 1)])
def test_a_row_counts_if_its_output_moves_the_top(layers, heads, residual):
    below, chosen, top = selections(layers, heads, seed=layers)
    counts = counting_rows(below, chosen, passed=residual)
    X = np.random.default_rng(0).normal(size=(S, n, T, d))
    for s in range(S):
        base = output(X[s], below[s], top[s], residual)
        for place in np.ndindex(layers - 1, n, T):
            moved = output(X[s], below[s], top[s], residual, place)
            # The top's mixture is a sum of outputs of rows with whole multiples: it moves by 1 or more, or not at all.
            assert counts[s][place] == (np.abs(moved - base).max() > 0.5)
    assert counts.any()
    assert not counts.all()


def test_a_set_selected_at_the_top_counts_as_a_whole():
    below = np.zeros((1, 1, 1, 1, T), dtype=int)
    top = np.array([True, False, True, False])[None, None, None, None]
    assert counting_rows(below, top, passed=True)[0, 0, 0].tolist() == [True, False, True, False]


def test_rows_without_a_bound_have_no_constraint():
    draw = np.random.default_rng(1)
    tokens, selected = draw.normal(size=(n, T, d)), draw.integers(T, size=(n, T))
    bound = np.array([[1.0, 0.0, np.inf, 0.5], [np.inf, 1.0, 1.0, 0.0]])
    found, whole = layer_constraints(tokens, selected, bound), sequence(tokens, selected)
    kept = np.isfinite(bound).ravel()[whole.index[:, 0]]
    assert np.array_equal(found.index, whole.index[kept])
    assert np.array_equal(found.bound, bound.ravel()[found.index[:, 0]])
    W = draw.normal(size=(d, d))
    assert np.allclose(found.apply(W), whole.apply(W)[kept], rtol=1e-12)


def test_causal_rows_compete_with_what_they_see():
    tokens = np.random.default_rng(2).normal(size=(1, T, d))
    found = layer_constraints(tokens, np.zeros((1, T), dtype=int), np.ones((1, T)), causal=True)
    assert (found.index[:, 2] <= found.index[:, 0]).all()
    assert len(found) == T * (T - 1) // 2


def test_a_set_of_copies_below_counts_as_a_whole():
    """Rows given as sets count as those given as numbers; a set of two leads to two rows."""
    below, chosen, _ = selections(layers=3, heads=2, seed=5)
    sets = below[..., None] == np.arange(T)
    for passed in (True, False):
        assert np.array_equal(counting_rows(sets, chosen, passed), counting_rows(below, chosen, passed))
    sets[:, 1, :, 0, 2] = [True, False, False, True]
    top = np.zeros((S, H, n, 1, T), dtype=bool)
    top[:, :, 0, 0, 2] = True
    assert counting_rows(sets, top, passed=False)[:, 0, 0].tolist() == [[True, False, False, True]] * S


def rows_that_share(seed, tokens=4, width=6, inputs=2):
    """A layer with rows that count, rows that share two or three tokens, and rows with a winner only."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(inputs, tokens, width))
    logits = np.einsum("ntd,de,nqe->nqt", X, draw.normal(size=(width, width)), X)
    selected, bound = logits.argmax(-1), np.zeros((inputs, tokens))
    bound[:, 0] = 1.0
    shared = np.zeros((inputs, tokens, tokens), dtype=bool)
    shared[:, 1] = np.arange(tokens) == ((selected[:, 1] + 1) % tokens)[:, None]
    shared[0, 2] = np.arange(tokens) != (selected[0, 2] + 1) % tokens
    return X, selected, bound, shared


def by_hand(X, selected, bound, shared):
    """The matrices, margins and kinds of the constraints, row by row."""
    A, b, equal = [], [], []
    for i, tokens in enumerate(X):
        for q, z in enumerate(tokens):
            for t, x in enumerate(tokens):
                w = selected[i, q]
                if t != w:
                    A.append(np.outer(tokens[w] - x, z).ravel())
                    b.append(bound[i, q])
                    equal.append(shared[i, q, t])
    return np.array(A), np.array(b), np.array(equal)


@pytest.mark.parametrize("seed", range(8))
def test_a_layer_that_shares_tokens_is_solved_as_cvxpy_solves_it(seed):
    X, selected, bound, shared = rows_that_share(seed)
    solution = solve(layer_constraints(X, selected, bound, shared=shared))
    A, b, equal = by_hand(X, selected, bound, shared)
    w = cvxpy.Variable(A.shape[1])
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(w)), [A[~equal] @ w >= b[~equal], A[equal] @ w == 0])
    problem.solve(solver=cvxpy.CLARABEL)
    assert problem.status == cvxpy.OPTIMAL
    assert solution.status is Status.SOLVED
    assert np.isclose(np.linalg.norm(solution.W), problem.value, rtol=1e-6)
    assert np.allclose(solution.W.ravel(), w.value, atol=1e-4 * np.linalg.norm(w.value))
    assert np.abs(A[equal] @ solution.W.ravel()).max() < 1e-9


def test_multipliers_of_shared_tokens_have_either_sign():
    duals = []
    for seed in range(8):
        c = layer_constraints(*rows_that_share(seed)[:3], shared=rows_that_share(seed)[3])
        solution = solve(c)
        assert (solution.dual[~c.equality] >= 0).all()
        duals += solution.dual[c.equality].tolist()
    assert min(duals) < -1e-3 < 1e-3 < max(duals)


def every_active_set(A, b, equal):
    """The least W in 40 digits: of all choices of active rows, the one whose multipliers and margins are right."""
    with mpmath.workdps(40):
        A, b = [[mpmath.mpf(x) for x in row] for row in A.tolist()], [mpmath.mpf(x) for x in b.tolist()]
        gram = [[mpmath.fdot(one, other) for other in A] for one in A]
        always, perhaps = np.flatnonzero(equal).tolist(), np.flatnonzero(~equal).tolist()
        for size in range(len(perhaps) + 1):
            for some in combinations(perhaps, size):
                rows = always + list(some)
                inside = mpmath.matrix([[gram[j][k] for k in rows] for j in rows])
                try:
                    dual = mpmath.lu_solve(inside, mpmath.matrix([b[j] for j in rows]))
                except ZeroDivisionError:
                    continue
                reached = [mpmath.fsum(dual[j] * gram[rows[j]][k] for j in range(len(rows))) for k in range(len(A))]
                if all(dual[j] >= 0 for j in range(len(always), len(rows))) and all(
                    reached[k] >= b[k] - mpmath.mpf(10) ** -30 for k in perhaps
                ):
                    W = [mpmath.fsum(dual[j] * A[rows[j]][a] for j in range(len(rows))) for a in range(len(A[0]))]
                    return np.array([float(x) for x in W])
    raise AssertionError("no choice of active rows is optimal")


@pytest.mark.parametrize("seed", range(4))
def test_a_small_layer_is_solved_as_by_enumeration_in_multiple_precision(seed):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(1, 3, 4))
    selected, bound = np.array([[0, 1, 2]]), np.array([[1.0, 0.0, graded(0.4, 1.0)]])
    shared = np.zeros((1, 3, 3), dtype=bool)
    shared[0, 1, 2] = True
    solution = solve(layer_constraints(X, selected, bound, shared=shared))
    assert solution.solved
    assert np.allclose(solution.W.ravel(), every_active_set(*by_hand(X, selected, bound, shared)), rtol=0, atol=1e-9)


def test_the_checker_refuses_unequal_logits_and_a_lost_multiplier():
    X, selected, bound, shared = rows_that_share(0)
    c = layer_constraints(X, selected, bound, shared=shared)
    solution = solve(c)
    arguments = c.factors, c.bound, c.equality, "fro", 1e-8
    assert check(*arguments, solution).status == "solved"
    row = np.flatnonzero(c.equality)[0]
    apart = solution.W + 1e-3 * np.outer(c.left[row], c.right[row])
    assert check(*arguments, replace(solution, W=apart)).status == "uncertified"
    lost = np.where(c.equality, 0.0, solution.dual)
    assert check(*arguments, replace(solution, dual=lost)).status == "uncertified"
    # The same multipliers prove nothing where the shared tokens were asked for an order instead.
    assert (solution.dual[c.equality] < 0).any()
    said = check(c.factors, c.bound, np.zeros_like(c.equality), "fro", 1e-8, solution)
    assert "negative on an inequality" in said.reason


def test_a_row_that_counts_shares_nothing():
    X, selected, bound, shared = rows_that_share(1)
    bound[1, 1] = 0.5
    with pytest.raises(ValueError, match="shared: the row at position 1 of input 1 is asked for a margin"):
        layer_constraints(X, selected, bound, shared=shared)


def test_copies_are_no_boundary():
    """Between equal tokens no W decides: with the constraint there is no answer, without it that of one copy alone."""
    draw = np.random.default_rng(3)
    X = draw.normal(size=(2, 4, 6))
    twice = np.concatenate([X, X[:, :1]], axis=1)
    selected = np.zeros((2, 5), dtype=int)
    bound = np.zeros((2, 5))
    bound[:, [0, 4]] = 1.0  # the rows of both copies count
    c = layer_constraints(twice, selected, bound)
    assert solve(c).status is Status.INFEASIBLE
    kept = without_copies(c)
    assert len(kept) == len(c) - 2 * 5
    once = solve(layer_constraints(X, selected[:, :4], bound[:, :4]))
    assert np.allclose(solve(kept).W, once.W, rtol=0, atol=1e-9)
    same = equal_tokens(twice)
    assert np.argwhere(same[0] & ~np.eye(5, dtype=bool)).tolist() == [[0, 4], [4, 0]]


def test_margins_fall_with_the_cost_of_a_row():
    assert graded(np.array([0.0, 0.5, 2.0, 3.0]), 2.0).tolist() == [1.0, 0.75, 0.0, 0.0]
