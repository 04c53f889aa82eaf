"""The generators that the paper's other experiments need, and descent from a given start."""

import numpy as np
import pytest
import torch

from attnsvm import draws
from attnsvm.training.descent import PIECE, train
from attnsvm.training.heads import LinearHead
from attnsvm.draws import draw, gaussian
from attnsvm.training.steps import exact, plain

SEEDS = [0, 1, 5, 77]
SHAPES = {
    "orthonormal": [(1, 10, 10), (3, 2, 2), (2, 1, 1)],
    "encoded": [(6, 8, 10), (2, 3, 5)],
}
CASES = [(name, *shape) for name, shapes in SHAPES.items() for shape in shapes]
FIELDS = ("tokens", "queries", "labels", "head")


@pytest.mark.parametrize(("name", "n", "T", "d"), CASES)
def test_shapes_types_and_independence_of_the_batch(name, n, T, d):
    generate = getattr(problems, name)
    batch, alone = draw(generate, SEEDS, n, T, d), draw(generate, [77], n, T, d)
    assert batch.tokens.shape == (4, n, T, d)
    assert batch.queries.shape == (4, n, d)
    assert batch.labels.shape == (4, n)
    assert batch.head.shape == (4, d)
    empty = draw(generate, [], n, T, d)
    for field in FIELDS:
        values = getattr(batch, field)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        assert (values[3] == getattr(alone, field)[0]).all()
        assert getattr(empty, field).shape == (0, *values.shape[1:])
    assert (np.abs(batch.labels) == 1).all()
    # Lengths one to float32, in which they are drawn.
    assert np.allclose(np.linalg.norm(batch.queries, axis=-1), 1, rtol=0, atol=1e-6)
    assert np.allclose(np.linalg.norm(batch.head, axis=-1), 1, rtol=0, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES["orthonormal"])
def test_orthonormal_tokens(shape):
    n, T, d = shape
    batch = draw(problems.orthonormal, SEEDS, *shape)
    gram = batch.tokens @ batch.tokens.swapaxes(2, 3)
    assert np.abs(gram - np.eye(T)).max() <= 1e-14
    assert (batch.labels == 1).all()
    for k, seed in enumerate(SEEDS):
        g = torch.Generator().manual_seed(seed)
        v, drawn, Z = (torch.randn(size, generator=g).double().numpy() for size in ((d,), (n, T, d), (n, d)))
        # The draws are v, tokens, queries, and each is divided by its length in float32.
        np.testing.assert_allclose(batch.head[k], v / np.linalg.norm(v), rtol=0, atol=3e-7)
        np.testing.assert_allclose(batch.queries[k], Z / np.linalg.norm(Z, axis=1, keepdims=True), rtol=0, atol=3e-7)
        # U of U Σ Vᵀ turns the rows to the lengths Σ: Uᵀ(M Mᵀ)U is diagonal, falling.
        for U, M in zip(batch.tokens[k], drawn, strict=True):
            turned = U.T @ M @ M.T @ U
            assert np.abs(turned - np.diag(np.diag(turned))).max() <= 1e-12 * turned.max()
            assert (np.diff(np.diag(turned)) <= 0).all()


@pytest.mark.parametrize("shape", SHAPES["encoded"])
def test_encoded_tokens(shape):
    _, T, d = shape
    batch, drawn = draw(problems.encoded, SEEDS, *shape), draw(gaussian, SEEDS, *shape)
    for field in ("queries", "labels", "head"):
        assert (getattr(batch, field) == getattr(drawn, field)).all()
    for t in range(T):
        code = np.array([(np.cos if k % 2 else np.sin)(t / 10000 ** (2 * (k // 2) / d)) for k in range(d)])
        expected = drawn.tokens[:, :, t] + code / np.linalg.norm(code)
        expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
        np.testing.assert_allclose(batch.tokens[:, :, t], expected, rtol=0, atol=2e-6)  # float32, shortest sum ≈ 0.1
    assert np.abs(np.linalg.norm(batch.tokens, axis=-1) - 1).max() <= 2e-7  # float32


def test_descent_starts_at_the_weights_given_in_the_order_of_the_batch():
    S = PIECE + 7
    p = draw(gaussian, range(S), 2, 2, 3)
    W = np.random.default_rng(0).normal(size=(S, 3, 3))
    log = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W)
    assert log.steps.tolist() == [0, 1, 2, 3]
    assert np.array_equal(log.weights[:, 0], W)
    assert (log.weights[:, 1] != W).any((1, 2)).all()
    for s in (0, PIECE - 1, PIECE, S - 1):
        alone = train(p[s : s + 1], LinearHead, "W", plain(1.0), 3, 1, start=W[s : s + 1])
        assert np.array_equal(alone.weights[0], log.weights[s])
    by_torch = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W, device="cpu:0")
    np.testing.assert_allclose(by_torch.weights, log.weights, rtol=0, atol=1e-14)  # three steps of order one


def test_descent_can_go_on_from_where_it_stopped():
    p = draw(gaussian, range(9), 3, 4, 6)
    whole = train(p, LinearHead, "W", exact(0.1), 40, 20)
    rest = train(p, LinearHead, "W", exact(0.1), 20, 20, start=whole.weights[:, 1])
    # Weights of order one, 20 steps that amplify their rounding a little.
    np.testing.assert_allclose(rest.weights[:, 1], whole.weights[:, 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rest.loss[:, 0], whole.loss[:, 1], rtol=1e-13)


def test_the_weights_given_are_not_changed():
    p = draw(gaussian, range(4), 2, 3, 4)
    W = np.random.default_rng(1).normal(size=(4, 4, 4))
    kept = W.copy()
    for device in ("cpu", "cpu:0"):
        train(p, LinearHead, "W", plain(1.0), 5, 5, start=W, device=device)
        assert np.array_equal(W, kept)


def test_factors_do_not_start_at_given_weights():
    p = draw(gaussian, range(2), 2, 3, 4)
    with pytest.raises(ValueError, match=r"start: expected 'uniform' or 'zero' for \(K, Q\), got an array of weights"):
        train(p, LinearHead, "KQ", plain(1.0), 1, 1, start=np.zeros((2, 4, 4)))
