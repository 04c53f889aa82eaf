"""Which rows of a stack count, against what moves the output of a stack with hard selections."""

import numpy as np
import pytest

from attnsvm.architecture import counting_rows
from attnsvm.svm import layer_constraints, sequence

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
