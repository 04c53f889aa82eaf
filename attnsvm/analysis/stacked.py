"""The weights of S trained stacks: how long they are together, and how far a layer is from its certified solution."""

import numpy as np

from attnsvm.analysis.directions import correlation

SATURATED = 0.99  # least largest probability of a row


def saturated(top: np.ndarray) -> np.ndarray:
    """Which stacks have a token of probability `SATURATED` in every row of the top, (S,) bool, for (S, H, n, R, T)."""
    return top.max(-1).min((1, 2, 3)) >= SATURATED


def norms(weights: np.ndarray) -> np.ndarray:
    """‖W‖ of all layers and heads together at K steps, (S, K), for weights (S, K, ..., d, d)."""
    return np.sqrt(np.square(weights).sum(tuple(range(2, weights.ndim))))


def certain(answer: dict, count: int) -> np.ndarray:
    """Which of `count` instances have a certified solution for every head, (count,) bool, of answers (S·H,)."""
    return (answer["status"].reshape(count, -1) == "solved").all(1)


def distance(weights: np.ndarray, layer: int, solutions: np.ndarray) -> np.ndarray:
    """1 − correlation of a layer with its solutions, mean over its heads, (S, K).

    Args:
        weights: (S, K, L, H, d, d).
        layer: its number, 1 at the bottom.
        solutions: (S·H, d, d), head by head.
    """
    W = weights[:, :, layer - 1]
    return 1.0 - correlation(W, solutions.reshape(len(W), 1, *W.shape[2:])).mean(-1)
