"""How each row of the layer below ends, by the multipliers of both layers, and the balance that fixes its mixture.

settled   its winner is ahead by a margin that grows like ‖W‖, or level without a multiplier, ν = 0
held      m = 0 is asked of a token; its multiplier ν, that of the composed token λ, and β are positive
free      a mixture at the margin above, λ = 0: Σ p β is what its composed token would be farther than the margin
tied      a mixture with β = 0 and λ > 0: the force that pulls it is O(1)
reversed  ν < 0: the row saturates against its gradient
open      none of these: no mixture balances
"""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.ends import Ends, equal_tokens
from attnsvm.analysis.mixtures import shares
from attnsvm.analysis.selection import SUPPORT_TOLERANCE
from attnsvm.experiments.beyond.layers.row_ends.ends import keys
from attnsvm.experiments.beyond.layers.row_ends.forces import forces, multipliers

SETTLED, HELD, FREE, TIED, REVERSED, OPEN = "settled", "held", "free", "tied", "reversed", "open"
ENDS = (HELD, FREE, TIED, REVERSED, OPEN)  # of rows with level tokens


class Terms(NamedTuple):
    """The level tokens of all rows, (m,) each: all but that which the row composes.

    Attributes:
        place: (m, 4) int: instance, input, row, token.
        end: the word for how the row ends.
        law: ν/λ, λ of the composed token and its copies together; NaN for a mixture with λ = 0.
        beta: what the margin above loses by the token, as a share of the largest logit.
        predicted: the share of a mixture with λ = 0; NaN for other ends.
        copied: bool, whether the composed token has a copy.
    """

    place: np.ndarray
    end: np.ndarray
    law: np.ndarray
    beta: np.ndarray
    predicted: np.ndarray
    copied: np.ndarray


def others(ends: Ends) -> np.ndarray:
    """The level tokens of rows that do not count, the composed one aside, (S, n, T, T) bool."""
    away = np.arange(ends.level.shape[-1]) != ends.chosen[:, 0, 0][..., None]
    return ends.level[:, 0, 0] & away & ~ends.counts[:, 0, ..., None]


def terms(problems, W: np.ndarray, rows, ends: Ends, solved: dict) -> Terms:
    """The level tokens and their ends.

    Args:
        W: (S, 2, 1, d, d), the trained weights; rows: at W. A mixture with β = 0 is one whose force can balance there.
        ends: as `inside`; solved: both layers' answers for them, with multipliers.
    """
    level = others(ends)
    S, n, T, _ = level.shape
    dual, same, top = multipliers(solved, (S, n, T)), equal_tokens(ends.rows.tokens[:, 1]), solved["2"]["W"]
    unit = np.maximum(np.abs(dual.below).max((1, 2, 3)), dual.top.max((1, 2)))
    along = keys(problems, top)
    beta = along[:, :, None] - np.take_along_axis(along, ends.chosen[:, 0, 0], 2)[..., None]
    lead = composed_margin(problems, ends, top) - 1.0
    small = SUPPORT_TOLERANCE
    pushed = level & (np.abs(dual.below) > small * unit[:, None, None, None])
    share = shares(np.where(pushed, dual.below, 0.0), beta, lead)
    place = np.argwhere(level)
    s, i, j, t = place.T
    nu, own = dual.below[s, i, j, t], beta[s, i, j, t]
    size = np.abs(along).max((1, 2))[s]
    above = (same @ dual.top[..., None])[s, i, j, 0]
    carried, zero = above > small * unit[s], np.abs(own) <= small * size
    law = nu / np.where(carried, above, np.nan)
    sound = np.where(pushed, (share > small) & (share < 1.0 - small), True).all(-1) & (lead > small)
    p, pull = forces(problems, W, rows, ends, place)
    with np.errstate(divide="ignore", invalid="ignore"):
        strongest = pull / (4.0 * p * (1.0 - p))  # p (1 − p) is at most a quarter
        balances = (law / strongest > 0) & (law / strongest < 1)
    cases = [
        ~pushed[s, i, j, t],
        ~carried & sound[s, i, j],
        carried & zero & balances,
        carried & ~zero & (nu > 0),
        carried & ~zero & (nu < 0),
    ]
    copied = same[s, i, j].sum(-1) > 1
    end = np.select(cases, [SETTLED, FREE, TIED, HELD, REVERSED], OPEN)
    return Terms(place, end, law, own / size, np.where(end == FREE, share[s, i, j, t], np.nan), copied)


def composed_margin(problems, ends: Ends, W: np.ndarray) -> np.ndarray:
    """The margin above of what each row composes, (S, n, T), for a top W (S, d, d)."""
    logits = (ends.rows.tokens[:, 1] @ (problems.queries @ W.swapaxes(1, 2))[..., None])[..., 0]
    alpha = ends.rows.top[:, 0, :, 0].argmax(-1)[..., None]
    return np.take_along_axis(logits, alpha, 2) - logits
