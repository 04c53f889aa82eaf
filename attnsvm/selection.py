"""Which tokens are optimal for the head, and which tokens a trained attention layer selects."""

import numpy as np

SELECTED_ABOVE = 1e-3  # softmax probability above which a token counts as selected, as published


def scores(tokens: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Token scores γ_it = Y_i vᵀx_it, (S, n, T), for tokens (S, n, T, d), v (S, d), labels (S, n)."""
    return np.einsum("sntd,sd->snt", tokens, v) * labels[..., None]


def optimal_tokens(tokens: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The token of highest score of every input, (S, n) int."""
    return scores(tokens, v, labels).argmax(-1)


def selected_tokens(probabilities: np.ndarray) -> np.ndarray:
    """The most probable token of every input, (..., n) int, for probabilities (..., n, T)."""
    return probabilities.argmax(-1)


def selected_sets(probabilities: np.ndarray) -> np.ndarray:
    """Every token above `SELECTED_ABOVE`, (..., n, T) bool."""
    return probabilities > SELECTED_ABOVE
