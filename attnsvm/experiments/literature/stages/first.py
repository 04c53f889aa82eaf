"""The first stage: V (W_ov of arXiv 2409.17335) learns from every word the next one, without any attention."""

import numpy as np
from scipy.special import log_softmax


def first_stage(embeddings: np.ndarray, rate: float, kept: np.ndarray, normalised: bool = True) -> np.ndarray:
    """V (S, L, d, d) after the numbers of updates `kept` (L,), rising, from zero: V ← V − η ∇L/‖∇L‖, or V − η ∇L.

    Args:
        embeddings: (S, d, d), a word in each row. L is the mean cross entropy of the next word given V e_x.
        rate: η.
        normalised: which of both. The gradient is taken in the unit of its largest entry, so that it never vanishes.
    """
    S, d = embeddings.shape[:2]
    word, after = np.arange(d), (np.arange(d) + 1) % d
    V, found = np.zeros((S, d, d)), []
    for step in range(kept[-1] + 1):
        if step == kept[len(found)]:
            found.append(V)
        logs = log_softmax(embeddings @ V.swapaxes(1, 2), axis=-1)
        logs[:, word, after] = -np.inf
        unit = logs.max((1, 2), keepdims=True) if normalised else np.zeros((S, 1, 1))
        shares = np.exp(logs - unit)
        shares[:, word, after] = -shares.sum(-1)
        slope = shares.swapaxes(1, 2) @ embeddings
        size = np.linalg.norm(slope, axis=(1, 2), keepdims=True) if normalised else d
        V = V - rate / size * slope
    return np.stack(found, 1)
