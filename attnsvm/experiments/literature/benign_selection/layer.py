"""The signals of a batch of inputs, and the layer νᵀXᵀσ(XWp) on them."""

import numpy as np

RELEVANT, WEAK, OPPOSITE = 0, 1, 2  # the tokens with a signal: that of the class, a share of it, a share of the other's


def classes(n: int) -> np.ndarray:
    """The classes of n inputs, (n,): +1 for the first half, −1 for the others."""
    return np.where(np.arange(n) < n // 2, 1.0, -1.0)


def with_signals(noise: np.ndarray, true: np.ndarray, size: float, weak: float) -> np.ndarray:
    """Noise (..., n, T, k) and the signals, of length `size` along the first two coordinates, of classes (n,)."""
    tokens, i, own = noise.copy(), np.arange(len(true)), (true < 0.0).astype(int)
    tokens[..., i, RELEVANT, own] += size
    tokens[..., i, WEAK, own] += weak * size
    tokens[..., i, OPPOSITE, 1 - own] += weak * size
    return tokens
