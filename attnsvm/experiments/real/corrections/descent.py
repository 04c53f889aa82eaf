"""Gradient descent from the head on the same mappings, as far from it as the least change goes."""

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.analysis.trees import stacked
from attnsvm.experiments.real.corrections.asked import Asked, draws, head
from attnsvm.svm.change import least_change
from attnsvm.svm.solution import proof_of

MOST = 4  # steps at most, relative to those of a straight way


def descent(problems, settings, progress):
    found = []
    for s in range(len(problems)):
        W, every = head(problems, s), list(draws(problems, s))
        progress.expect(len(problems) * len(every))
        rows = []
        for draw in every:
            least = least_change(draw.constraints(W), W)
            length = np.linalg.norm(least.W) if least.solved else np.nan
            gone = {f"{share:g}": _beside(draw, W, length, share, settings["steps"]) for share in settings["weights"]}
            rows.append({"gradient": gone, "length": proof_of(least)})
            progress(1)
        found.append(stacked(rows))
    return stacked(found)


def _beside(draw, W, length, share, steps):
    """What gradient descent reaches at a distance from W, named mistakes carrying a share of its loss."""
    D = descended(draw.asks, W, loss_weights(draw.named, share), length, steps)
    return draw.outcome(W + D) | {"length": float(np.linalg.norm(D) / np.linalg.norm(W))}


def loss_weights(named: np.ndarray, share: float) -> np.ndarray:
    """(m,) adding up to one: named mistakes have the share, equally, and the others the rest."""
    return np.where(named, share / max(named.sum(), 1), (1 - share) / max((~named).sum(), 1))


def descended(asks: Asked, W: np.ndarray, weights: np.ndarray, length: float, steps: int) -> np.ndarray:
    """D (d, e) after gradient descent on the weighted log-loss of W + D from D = 0, until ‖D‖_F is `length`.

    Each step goes down the gradient by length / steps; the last one ends at the length. NaN where it is not known.
    """
    D = np.zeros_like(W)
    if not np.isfinite(length):
        return np.full_like(W, np.nan)
    for _ in range(MOST * steps):
        slope = gradient(asks, W + D, weights)
        D = D - length / steps * slope / np.linalg.norm(slope)
        size = np.linalg.norm(D)
        if size >= length:
            return D * (length / size)
    return D


def gradient(asks: Asked, W: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(d, e) of Σ_m weights_m · log-loss of the answer to query m."""
    along, slope = asks.queries @ W.T, np.zeros((len(asks), len(W)))
    begin = np.flatnonzero(np.diff(asks.first, prepend=-1))  # queries of one reaction share its tokens
    for rows in np.split(np.arange(len(asks)), begin[1:]):
        a, T = asks.first[rows[0]], asks.counts[rows[0]]
        X = asks.tokens[a : a + T]
        chances = softmax(along[rows] @ X.T)
        chances[np.arange(len(rows)), asks.answer[rows]] -= 1
        slope[rows] = (weights[rows, None] * chances) @ X
    return slope.T @ asks.queries
