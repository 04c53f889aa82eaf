"""(K, Q) in the spans of tokens and queries: the bases, and the same descent on fewer numbers."""

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, exact, plain, train
from attnsvm.training.spans import Coordinates


def batch(n, T, d, m, S=3):
    generator = np.random.default_rng(n + d)
    return [generator.normal(size=shape) for shape in ((S, n, T, d), (S, n, d), (S, d, m), (S, d, m))]


@pytest.mark.parametrize(("n", "T", "d", "m"), [(2, 3, 16, 16), (2, 2, 12, 3), (5, 5, 6, 6)])
def test_the_bases_are_orthonormal_and_hold_what_moves(n, T, d, m):
    tokens, queries, K, Q = batch(n, T, d, m)
    found = Coordinates.of(tokens, queries, K, Q, move=True)
    rows = np.concatenate([found.P.mT @ K, found.R.mT @ Q], axis=1)
    for basis, held in ((found.P, tokens.reshape(3, -1, d)), (found.R, queries), (found.V, rows)):
        size = basis.shape[2]
        assert size == min(held.shape[1], basis.shape[1])
        # 1e-13: Householder reflections of matrices of at most 25 rows
        assert np.abs(basis.mT @ basis - np.eye(size)).max() <= 1e-13
        assert np.abs(held @ basis @ basis.mT - held).max() <= 1e-13 * np.abs(held).max() * size


def test_the_product_follows_what_the_coordinates_do_and_keeps_what_lies_outside():
    tokens, queries, K, Q = batch(2, 3, 16, 16)
    found = Coordinates.of(tokens, queries, K, Q, move=True)
    k, q = found.factors()
    generator = np.random.default_rng(0)
    moves = [generator.normal(size=x.shape) for x in (k, q)]
    W = found.product(np.stack([np.concatenate([k, q], 1), np.concatenate([k + moves[0], q + moves[1]], 1)], axis=1))
    assert W.shape == (3, 2, 16, 16)
    # 1e-12: products of matrices of size 16 with entries of order one
    np.testing.assert_allclose(W[:, 0], K @ Q.mT, rtol=0, atol=1e-12)
    moved = (K + found.P @ moves[0] @ found.V.mT) @ (Q + found.R @ moves[1] @ found.V.mT).mT
    np.testing.assert_allclose(W[:, 1], moved, rtol=0, atol=1e-12)


def test_a_penalty_moves_every_entry():
    tokens, queries, K, Q = batch(2, 3, 16, 16)
    found = Coordinates.of(tokens, queries, K, Q, move=False)
    for basis in (found.P, found.R, found.V):
        assert (basis == np.eye(16)).all()
    assert all((mine == given).all() for mine, given in zip(found.factors(), (K, Q), strict=True))


@pytest.mark.parametrize(("n", "T", "d", "m"), [(2, 3, 16, 16), (3, 3, 8, 8), (2, 2, 12, 3), (5, 5, 30, 40)])
@pytest.mark.parametrize("rule", [exact(0.1), plain(1.0)], ids=["exact", "plain"])
def test_descent_in_fewer_coordinates_is_the_same_descent(n, T, d, m, rule):
    """The compiled loop moves (K, Q) in the spans of tokens and queries; torch moves every entry."""
    p = draw(gaussian, range(3), n, T, d)
    ours, theirs = (train(p, LinearHead, "KQ", rule, 60, 20, m=m, device=device) for device in ("cpu", "cpu:0"))
    # 60 steps amplify rounding by a few orders.
    assert np.allclose(ours.weights, theirs.weights, rtol=0, atol=1e-12)
    assert np.allclose(ours.gradient_norm, theirs.gradient_norm, rtol=1e-9)
    assert np.allclose(ours.probabilities, theirs.probabilities, atol=1e-12)
