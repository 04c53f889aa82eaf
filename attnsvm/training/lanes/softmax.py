"""The saturated softmax and its derivative, of one row of logits: everything relative to the winning token.

Once a softmax saturates, the winner's p (1 − p) is lost to rounding and every other gradient to underflow. So logits
are differences to the winner's, a slope along the tokens is anchored at the winner's, and the winner's share of a
gradient is minus the sum of the others. Each loop normalises the rest by itself.

A row is (T, LANES); winner, best, mean and total are (LANES,).
"""

import numpy as np
from numba import njit

from attnsvm.training.lanes.arithmetic import APART, LANES, OPTIONS


@njit(**OPTIONS, **APART)
def behind(logits, winner, best):
    """Which token wins, the first of equals, and logits −= the best of them, in place."""
    for lane in range(LANES):
        best[lane] = -np.inf
    for t in range(len(logits)):
        for lane in range(LANES):
            winner[lane] = t if logits[t, lane] > best[lane] else winner[lane]
            best[lane] = max(best[lane], logits[t, lane])
    for t in range(len(logits)):
        for lane in range(LANES):
            logits[t, lane] -= best[lane]


@njit(**OPTIONS, **APART)
def anchor(slope, p, winner, at_winner, mean):
    """slope −= that of the winner, in place, and mean = Σ_t p_t slope_t of what is left; `at_winner` is scratch."""
    for lane in range(LANES):
        at_winner[lane] = 0.0
        mean[lane] = 0.0
    for t in range(len(slope)):
        for lane in range(LANES):
            at_winner[lane] += slope[t, lane] if winner[lane] == t else 0.0
    for t in range(len(slope)):
        for lane in range(LANES):
            slope[t, lane] -= at_winner[lane]
            mean[lane] += p[t, lane] * slope[t, lane]


@njit(**OPTIONS, **APART)
def close(shares, winner, total):
    """The winner's share = −total, the sum of the others; shares that hold zero for it at first."""
    for lane in range(LANES):
        total[lane] = 0.0
    for t in range(len(shares)):
        for lane in range(LANES):
            total[lane] += shares[t, lane]
    for t in range(len(shares)):
        for lane in range(LANES):
            shares[t, lane] = -total[lane] if winner[lane] == t else shares[t, lane]
