"""Selected tokens by brute force; the generalised SVM's scale and the correlation against general optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from attnsvm.directions import correlation, fitted_scale, svm_equivalent
from attnsvm.selection import SELECTED_ABOVE, optimal_tokens, scores, selected_sets, selected_tokens

S, n, T, d = 5, 3, 4, 6
rng = np.random.default_rng(0)
TOKENS, HEAD = rng.normal(size=(S, n, T, d)), rng.normal(size=(S, d))
LABELS = np.where(rng.normal(size=(S, n)) > 0, 1.0, -1.0)
PROBABILITIES = rng.dirichlet(np.full(T, 0.2), size=(S, n))


def test_scores_and_optimal_tokens_agree_with_loops():
    mine, best = scores(TOKENS, HEAD, LABELS), optimal_tokens(TOKENS, HEAD, LABELS)
    assert best.shape == (S, n)
    for s in range(S):
        for i in range(n):
            gains = [LABELS[s, i] * sum(HEAD[s, k] * TOKENS[s, i, t, k] for k in range(d)) for t in range(T)]
            np.testing.assert_allclose(mine[s, i], gains, rtol=0, atol=1e-13)  # six products
            assert best[s, i] == max(range(T), key=gains.__getitem__)


def test_optimal_tokens_turn_with_the_label():
    turned = optimal_tokens(TOKENS, HEAD, -LABELS)
    assert np.array_equal(turned, scores(TOKENS, HEAD, LABELS).argmin(-1))
    assert (turned != optimal_tokens(TOKENS, HEAD, LABELS)).all()


def test_selected_tokens_agree_with_loops_whatever_the_leading_axes():
    mine = selected_tokens(PROBABILITIES)
    assert mine.shape == (S, n)
    for s in range(S):
        for i in range(n):
            assert mine[s, i] == max(range(T), key=PROBABILITIES[s, i].__getitem__)
    assert np.array_equal(selected_tokens(PROBABILITIES[0]), mine[0])
    assert np.array_equal(selected_tokens(PROBABILITIES[:, None]), mine[:, None])


def test_selected_sets_are_the_tokens_above_one_in_a_thousand():
    assert SELECTED_ABOVE == 1e-3
    p = np.array([[0.5, 0.4979, 1.1e-3, 1e-3], [1 - 1e-9, 1e-9, 0.0, 0.0]])
    assert selected_sets(p).tolist() == [[True, True, True, False], [True, False, False, False]]
    mine = selected_sets(PROBABILITIES)
    assert mine.shape == (S, n, T)
    assert 0 < mine.mean() < 1
    assert mine[np.arange(S)[:, None], np.arange(n), selected_tokens(PROBABILITIES)].all()


def matrices(seed, *leading):
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(*leading, d, d)) for _ in range(3))


@pytest.mark.parametrize("seed", range(3))
def test_fitted_scale_is_the_least_squares_fit(seed):
    W, W_fin, W_mm = matrices(seed)
    scale = fitted_scale(W, W_fin, W_mm)
    by_lstsq = np.linalg.lstsq(W_mm.reshape(-1, 1), (W - W_fin).ravel())[0][0]
    assert scale == pytest.approx(by_lstsq, rel=1e-12)
    by_search = minimize_scalar(lambda c: np.linalg.norm(W_fin + c * W_mm - W) ** 2).x
    assert scale == pytest.approx(by_search, abs=1e-6)  # a search on values sees the minimum to √eps
    np.testing.assert_allclose(svm_equivalent(W, W_fin, W_mm), W_fin + by_lstsq * W_mm, rtol=0, atol=1e-12)


def test_a_planted_scale_is_found_for_every_matrix_of_an_array_and_of_either_sign():
    _, W_fin, W_mm = matrices(4, 2, 3)
    C = np.array([[3.0, -2.0, 0.0], [1e4, 1e-4, -7.5]])
    W = W_fin + C[..., None, None] * W_mm
    # 1e-12: entries of order 1 (1e4) and 36 products
    np.testing.assert_allclose(fitted_scale(W, W_fin, W_mm), C, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(svm_equivalent(W, W_fin, W_mm), W, rtol=1e-12, atol=1e-12)


def test_correlation_is_the_cosine_of_the_angle_between_matrices():
    A, B, _ = matrices(5, 4)
    for a, b, mine in zip(A, B, correlation(A, B), strict=True):
        assert mine == pytest.approx(np.trace(a.T @ b) / np.sqrt(np.trace(a.T @ a) * np.trace(b.T @ b)), abs=1e-14)
    # 1e-15: one division of a number by itself, up to rounding
    np.testing.assert_allclose(correlation(A, A), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(correlation(A, -3.0 * A), -1.0, rtol=0, atol=1e-15)
    left, right = np.diag([1.0, 1.0, 0, 0, 0, 0]), np.diag([0, 0, 1.0, 0, 0, 0])
    assert correlation(left, right) == 0


def test_correlation_broadcasts_its_leading_axes():
    A, B, _ = matrices(6, 4)
    table = correlation(A[:, None], B[None])
    assert table.shape == (4, 4)
    for i in range(4):
        for j in range(4):
            assert table[i, j] == pytest.approx(float(correlation(A[i], B[j])), abs=1e-15)
