"""The layer with diagonal W: its logits are those of a vector w and of the tokens x ∘ z."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.training.softmax import derivative, softmax


def as_vector(problems: Problems) -> Problems:
    """Problems of which the first column w of W has the logits x_tᵀ diag(w) z; of their solutions it alone counts."""
    first = np.zeros(problems.queries.shape)
    first[..., 0] = 1.0
    return replace(problems, tokens=problems.tokens * problems.queries[:, :, None], queries=first)


def probabilities(problems: Problems, w: np.ndarray) -> np.ndarray:
    """(S, n, T), for w (S, d)."""
    return softmax(_logits(as_vector(problems).tokens, w)).p


def flow(problems: Problems, factors: tuple[np.ndarray, ...], rate: float, kept: np.ndarray) -> np.ndarray:
    """w (S, K, d) at the steps kept, for one vector w or for the two factors k and q of w = k ∘ q.

    A step divides the gradients by their joint norm, and by that of the factors where there are two: so it stays a
    small change of the logits.
    """
    moved = as_vector(problems).tokens
    scores = problems.labels[..., None] * (problems.tokens @ problems.head[:, None, :, None])[..., 0]
    found = []
    for step in range(kept[-1] + 1):
        w = np.prod(factors, axis=0)
        if step in kept:
            found.append(w)
        slope = _slope(moved, scores, w)
        slopes = (slope,) if len(factors) == 1 else (slope * factors[1], slope * factors[0])
        size = np.sqrt(sum((x**2).sum(1, keepdims=True) for x in slopes))
        if len(factors) == 2:
            size = size * np.sqrt(sum((x**2).sum(1, keepdims=True) for x in factors))
        factors = tuple(x - rate / size * s for x, s in zip(factors, slopes, strict=True))
    return np.stack(found, 1)


def _logits(moved: np.ndarray, w: np.ndarray) -> np.ndarray:
    return (moved @ w[:, None, :, None])[..., 0]


def _slope(moved: np.ndarray, scores: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The gradient of the loss in w (S, d), but for a positive factor: free of underflow."""
    at = softmax(_logits(moved, w))
    direction, logs = derivative(at, scores)
    output = (at.p * scores).sum(-1, keepdims=True)
    weights = -np.exp(logs - logs.max(1, keepdims=True)) / (1.0 + np.exp(output)) * direction
    return (weights[..., None] * moved).sum((1, 2))
