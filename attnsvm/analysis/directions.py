"""The generalised SVM of a head that mixes several tokens: W_SVMeq = W_fin + C·W_mm.

W_mm separates the selected sets from the rest with equal logits inside each set; W_fin has the logit differences of
the trained softmax inside each set. As published, C is fitted to the trained W by least squares: an oracle, its sign
free. Put right, C is what gives W_SVMeq the norm of W.
"""

import numpy as np


def fitted_scale(W: np.ndarray, W_fin: np.ndarray, W_mm: np.ndarray) -> np.ndarray:
    """C = argmin ‖W_fin + C·W_mm − W‖_F over the last two axes, (...); zero where W_mm is."""
    square = (W_mm**2).sum((-2, -1))
    return ((W - W_fin) * W_mm).sum((-2, -1)) / np.where(square == 0, 1.0, square)


def scale_by_norm(W: np.ndarray, W_fin: np.ndarray, W_mm: np.ndarray) -> np.ndarray:
    """The C > 0 with ‖W_fin + C·W_mm‖_F = ‖W‖_F, (...): no oracle, of W only its norm is used.

    Where W is too short for any C, the C of the shortest sum; zero where W_mm is.
    """
    a, b = (W_mm**2).sum((-2, -1)), (W_fin * W_mm).sum((-2, -1))
    c = (W_fin**2).sum((-2, -1)) - (W**2).sum((-2, -1))
    return (np.sqrt(np.maximum(b * b - a * c, 0.0)) - b) / np.where(a == 0, 1.0, a)


def svm_equivalent(W: np.ndarray, W_fin: np.ndarray, W_mm: np.ndarray, scale=fitted_scale) -> np.ndarray:
    """W_SVMeq (..., d, d) of the trained W; `scale` chooses C."""
    return W_fin + scale(W, W_fin, W_mm)[..., None, None] * W_mm


def correlation(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """⟨A, B⟩ / (‖A‖_F ‖B‖_F) over the last two axes; the leading axes broadcast."""
    return (A * B).sum((-2, -1)) / (np.linalg.norm(A, axis=(-2, -1)) * np.linalg.norm(B, axis=(-2, -1)))
