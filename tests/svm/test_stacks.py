"""Which rows of a stack count, and the problem of a layer whose rows share tokens.

Against what moves the output of a stack with hard selections, cvxpy, and every choice of active constraints in multiple
precision.
"""

import cvxpy
import numpy as np
import pytest

from attnsvm.analysis.ends import equal_tokens
from attnsvm.data.architecture import counting_rows
from attnsvm.svm import Status, graded, layer_constraints, sequence, solve, without_copies

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
