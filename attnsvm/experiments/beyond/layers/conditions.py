"""The conditions of the theorem of two layers: on the data and the winners of an instance, not on the run."""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.ends import Ends
from attnsvm.analysis.selection import SUPPORT_TOLERANCE


class Conditions(NamedTuple):
    """Which instances (S,) bool meet each condition.

    Attributes:
        separable: H1, some S_1 has a margin of one in every row of the layer below.
        better: H2, in the terms at the margin of the rows that count the winner has the better score.
        held: H3, each term at margin zero has a multiplier above it and tokens that the margin above loses, β > 0.
            *Degenerate* is β = 0, as where two rows that select the same token both support the top. There rounding
            gave β of either sign, up to 1e-15 of the logits; the least β of other terms was 7e-3 of them.
    """

    separable: np.ndarray
    better: np.ndarray
    held: np.ndarray

    @property
    def all(self) -> np.ndarray:
        return self.separable & self.better & self.held


def conditions(problems, ends: Ends, everywhere: np.ndarray, solved: dict) -> Conditions:
    """The conditions of the law for two layers with one head.

    Args:
        ends: with a winner in every row.
        everywhere: (S,) bool, whether margins of one in all rows of the layer below are certified to exist.
        solved: the answers for `ends`, by layer.
    """
    first, second = (solved[layer]["W"] for layer in ("1", "2"))
    composed, chosen, counts = ends.rows.tokens[:, 1], ends.chosen[:, 0, 0], ends.counts[:, 0]
    S, n, T = counts.shape
    alpha = ends.rows.top[:, 0, :, 0].argmax(-1)[..., None]
    score = problems.labels[..., None] * (composed @ problems.head[:, None, :, None])[..., 0]
    raw = problems.labels[..., None] * (problems.tokens @ problems.head[:, None, :, None])[..., 0]
    above = _margins((composed @ (problems.queries @ second.swapaxes(1, 2))[..., None])[..., 0], alpha)
    logits = problems.tokens @ first[:, None] @ problems.tokens.swapaxes(-1, -2)  # (S, n, T tokens, T rows)
    margin = _margins(logits.swapaxes(-1, -2), chosen[..., None])
    near = 1 + SUPPORT_TOLERANCE
    top_loses, loses = np.arange(T) != alpha, np.arange(T) != chosen[..., None]
    won = np.take_along_axis(np.broadcast_to(raw[:, :, None], margin.shape), chosen[..., None], 3)
    worse = top_loses & (above <= near) & (score >= np.take_along_axis(score, alpha, 2))
    worse_below = loses & counts[..., None] & (margin <= near) & (raw[:, :, None] >= won)
    better = ~worse.any((1, 2)) & ~worse_below.any((1, 2, 3))
    dual = solved["2"]["multipliers"].reshape(S, n, T)
    carried = dual > SUPPORT_TOLERANCE * dual.max((1, 2), keepdims=True)
    along = (problems.tokens @ (problems.queries @ second.swapaxes(1, 2))[..., None])[..., 0][:, :, None]
    beta = along - np.take_along_axis(np.broadcast_to(along, margin.shape), chosen[..., None], 3)
    lost = beta > SUPPORT_TOLERANCE * np.abs(along).max((1, 2, 3), keepdims=True)
    bound = SUPPORT_TOLERANCE * np.abs(margin).max((1, 2, 3), keepdims=True)
    at_zero = loses & ~counts[..., None] & (margin <= bound)
    held = ~(at_zero & ~(carried[..., None] & lost)).any((1, 2, 3))
    return Conditions(everywhere, better, held)


def _margins(logits: np.ndarray, winner: np.ndarray) -> np.ndarray:
    return np.take_along_axis(logits, winner, -1) - logits
