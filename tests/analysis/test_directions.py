"""The scale of the generalised SVM, and the correlation, against least squares and traces."""

import numpy as np
import pytest

from attnsvm.analysis.directions import correlation, fitted_scale, svm_equivalent

d = 6


def matrices(seed, *leading):
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(*leading, d, d)) for _ in range(3))


@pytest.mark.parametrize("seed", range(3))
def test_fitted_scale_is_the_least_squares_fit(seed):
    W, W_fin, W_mm = matrices(seed)
    scale = fitted_scale(W, W_fin, W_mm)
    by_lstsq = np.linalg.lstsq(W_mm.reshape(-1, 1), (W - W_fin).ravel())[0][0]
    assert scale == pytest.approx(by_lstsq, rel=1e-12)
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
