"""What the gradient of two layers is made of, beside the multipliers of their SVMs.

The size of every term is a power of the exponential of ‖W‖: all are divided by the largest at the top, in logarithms.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.composition import Rows
from attnsvm.analysis.ends import Ends, equal_tokens
from attnsvm.analysis.selection import SUPPORT_TOLERANCE


class Forces(NamedTuple):
    """The forces of −∇L on two layers with one head and one query for each input.

    Attributes:
        below: (S, n, T, T), what multiplies (x_w − x_t) x_qᵀ in −∇L of the layer below.
        top: (S, n, T), what multiplies (x_α − x_t) zᵀ in that of the top.
    """

    below: np.ndarray
    top: np.ndarray


def coefficients(problems, W: np.ndarray, rows: Rows, ends: Ends) -> Forces:
    """The coefficients of −∇L, up to one factor for each instance; W: (S, 2, 1, d, d)."""
    logs, above, tokens = rows.below[:, 0, 0], rows.top[:, 0, :, 0], rows.tokens[:, 1]
    T = above.shape[-1]
    winner = above.argmax(-1)[..., None]
    loses = np.arange(T) != winner
    unit = np.where(loses, above, -np.inf).max((1, 2))[:, None, None]
    share = np.where(loses, np.exp(np.where(loses, above - unit, 0.0)), 0.0)
    score = (tokens @ problems.head[:, None, :, None])[..., 0]
    gap = score - np.take_along_axis(score, winner, 2)
    signed = problems.labels * np.take_along_axis(score, winner, 2)[..., 0]
    slope = (problems.labels / (1.0 + np.exp(signed)))[..., None]
    top = -slope * share * gap
    # What arrives at a composed token: as a value of the top, and as its key.
    key = _keys(problems, W)
    arrives = slope[..., None] * (share[..., None] * problems.head[:, None, None] + (share * gap)[..., None] * key)
    along = arrives @ problems.tokens.swapaxes(-1, -2)
    p = np.exp(logs)
    below = -p * (along - (p * along).sum(-1, keepdims=True))
    every = np.where(ends.counts[:, 0, ..., None], _counting(problems, logs, unit, slope, ends), below)
    return Forces(np.where(np.arange(T) == ends.chosen[:, 0, 0][..., None], 0.0, every), top)


def _keys(problems, W):
    """W_2 z, (S, n, 1, d)."""
    return (problems.queries @ W[:, 1, 0].swapaxes(1, 2))[:, :, None]


def _counting(problems, logs, unit, slope, ends):
    """The coefficients of rows that count, whose probabilities are as small as those of the top."""
    score = (problems.tokens @ problems.head[:, None, :, None])[:, :, None, :, 0]  # (S, n, 1, T)
    won = np.take_along_axis(np.broadcast_to(score, logs.shape), ends.chosen[:, 0, 0][..., None], 3)
    loses = np.arange(logs.shape[-1]) != ends.chosen[:, 0, 0][..., None]
    size = np.where(loses & ends.counts[:, 0, ..., None], logs - unit[..., None], -np.inf)
    return np.exp(np.minimum(size, 700.0)) * slope[..., None] * (won - score)


def multipliers(solved: dict, shape: tuple[int, int, int]) -> Forces:
    """Those of both layers of the rule's answers, in the units of one problem: shape (S, n, T)."""
    S, n, T = shape
    size = [np.linalg.norm(solved[layer]["W"], axis=(1, 2)) for layer in ("1", "2")]
    below, top = (solved[layer]["multipliers"] for layer in ("1", "2"))
    return Forces(
        below.reshape(S, n, T, T) * size[0][:, None, None, None], top.reshape(S, n, T) * size[1][:, None, None]
    )


def angle(one: Forces, other: Forces, ends: Ends) -> np.ndarray:
    """1 − cosine of the coefficients of both layers, (S,); those of the top are added up over copies."""
    same = equal_tokens(ends.rows.tokens[:, 1])
    pairs = ((of.below, (same @ of.top[..., None])[..., 0]) for of in (one, other))
    a, b = (np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1) for parts in pairs)
    return 1.0 - (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))


def held_terms(ends: Ends, dual: Forces) -> np.ndarray:
    """The tokens (S, n, T, T) of rows that do not count, that saturate, and that a multiplier holds.

    Without rows whose composed token has a copy: the top's multiplier is of both together.
    """
    largest = np.maximum(np.abs(dual.below).max((1, 2, 3)), dual.top.max((1, 2)))[:, None, None]
    small = SUPPORT_TOLERANCE * largest
    alone = equal_tokens(ends.rows.tokens[:, 1]).sum(-1) == 1
    free = ~ends.counts[:, 0] & ~ends.mixed[:, 0, 0].any(-1) & alone & (dual.top > small)
    return (np.abs(dual.below) > small[..., None]) & free[..., None]


def reversed_terms(ends: Ends, dual: Forces) -> np.ndarray:
    """The tokens (S, n, T, T) of rows that saturate against their gradient: held by a negative multiplier."""
    largest = np.maximum(np.abs(dual.below).max((1, 2, 3)), dual.top.max((1, 2)))[:, None, None, None]
    return (dual.below < -SUPPORT_TOLERANCE * largest) & ~ends.mixed[:, 0, 0].any(-1)[..., None]


def held_law(problems, W: np.ndarray, rows: Rows, ends: Ends, dual: Forces) -> tuple[np.ndarray, np.ndarray]:
    """p·⟨x_t − x_w, W_2 z⟩ and ν/λ, one each for each term of `held_terms`."""
    along = (problems.tokens * _keys(problems, W)).sum(-1)[:, :, None]  # (S, n, 1, T)
    won = np.take_along_axis(np.broadcast_to(along, rows.below[:, 0, 0].shape), ends.chosen[:, 0, 0][..., None], 3)
    held = held_terms(ends, dual)
    force = np.exp(rows.below[:, 0, 0]) * (along - won)
    return force[held], dual.below[held] / np.broadcast_to(dual.top[..., None], held.shape)[held]
