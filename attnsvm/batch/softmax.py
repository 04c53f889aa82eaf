"""The saturated softmax and its derivative, of one row of logits: everything relative to the winning token.

Once a softmax saturates, the winner's p (1 − p) is lost to rounding and every other gradient to underflow. So logits
are differences to the winner's, a slope along the tokens is anchored at the winner's, and the winner's share of a
gradient is minus the sum of the others. Each loop normalises the rest by itself.

A row is (T, LANES), winner (LANES,); what is returned is a vector.
"""

import numpy as np
from numba import njit

from attnsvm.batch.arithmetic import APART, INNER
from attnsvm.batch.vector import each, larger, load, store, where


@njit(**INNER, **APART)
def behind(logits, winner):
    """Which token wins, the first of equals, and logits −= the best of them, in place."""
    best, first = each(-np.inf), load(winner)
    for t in range(len(logits)):
        logit = load(logits[t])
        first = where(logit > best, t, first)
        best = larger(best, logit)
    store(winner, first)
    for t in range(len(logits)):
        store(logits[t], load(logits[t]) - best)


@njit(**INNER, **APART)
def anchor(slope, p, winner):
    """slope −= that of the winner, in place, and Σ_t p_t slope_t of what is left."""
    first, at_winner, mean = load(winner), each(0.0), each(0.0)
    for t in range(len(slope)):
        at_winner = at_winner + where(first == t, load(slope[t]), 0.0)
    for t in range(len(slope)):
        store(slope[t], load(slope[t]) - at_winner)
        mean = mean + load(p[t]) * load(slope[t])
    return mean


@njit(**INNER, **APART)
def close(shares, winner):
    """The winner's share = −the sum of the others, which is returned; shares that hold zero for it at first."""
    first, total = load(winner), each(0.0)
    for t in range(len(shares)):
        total = total + load(shares[t])
    for t in range(len(shares)):
        store(shares[t], where(first == t, -total, load(shares[t])))
    return total
