"""The costly parts of the reverse sweep, compiled: sums of products along rows, and the derivative of a softmax.

Each row is computed alone: its result does not depend on the rest of the batch.
"""

import numpy as np
from numba import njit

from attnsvm.batch.arithmetic import INLINED, LN2_HIGH, LN2_LOW, LOG2_E, exp, kept_on_disk
from attnsvm.training.softmax import Softmax
from attnsvm.training.tape.scaled import FLOOR, NOTHING, Scaled, by_entries, power_of_two, tidy

NONE = np.full(1, -1)


def contract(a: Scaled, B: np.ndarray, over: np.ndarray | None = None, among: np.ndarray | None = None) -> Scaled:
    """Σ_t a_qt B_td, (..., q, d) with a power for each row, for a (..., q, t) and B (..., t, d).

    Args:
        over: t of a winner for each row, (..., q, 1): B_td − B_over,d in place of B_td. Where the rows of a add up to
            zero the sum is the same, and what cancels is not added first.
        among: d of a winner for each row, (..., q, 1): B_td − B_t,among in place of B_td.
    """
    *shape, q, _ = a.m.shape
    B = np.broadcast_to(B, (*shape, *B.shape[-2:]))
    m, k = np.empty((*shape, q, B.shape[-1])), np.empty((*shape, q, 1), dtype=np.int64)
    winners = (_read(NONE if winner is None else winner, -1) for winner in (over, among))
    given = _rows(a.m), _rows(a.k), _read(B, -1, *B.shape[-2:]), *winners
    hides = _contract(*given, m.reshape(-1, m.shape[-1]), k.reshape(-1))
    found = Scaled(m, k)
    return _with_hidden(a, _relative(B, over, among), found) if hides else found


def through_softmax(at: Softmax, g: Scaled, factor: float) -> Scaled:
    """From ∂L/∂p to ∂L/∂logits: factor·p_t (c_t − Σ_s p_s c_s) with c_t = g_t − g_winner."""
    m, k = np.empty(at.p.shape), np.empty(at.p.shape, dtype=np.int64)
    given = _rows(at.p), _rows(at.log), _read(at.winner, -1), _rows(g.m), _rows(g.k), float(factor)
    _through_softmax(*given, m.reshape(-1, m.shape[-1]), k.reshape(-1, k.shape[-1]))
    return Scaled(m, k, at.winner)


def _rows(x: np.ndarray) -> np.ndarray:
    return _read(x, -1, x.shape[-1])


def _read(x: np.ndarray, *shape: int) -> np.ndarray:
    """What a loop reads, of one kind for numba: it compiles anew for other strides, and for what may be written."""
    x = np.ascontiguousarray(x).reshape(shape).view()
    x.flags.writeable = False
    return x


@njit(**INLINED)
def _two_to(k):
    """2^k for k ≤ 1023; zero below 2^−1022."""
    return np.int64((max(k, FLOOR) + 1023) << 52).view(np.float64)


@njit(**INLINED)
def _exponent(x):
    """k with |x|/2^k in [½, 1), at least −1022."""
    return ((np.float64(x).view(np.int64) >> 52) & 2047) - 1022


@kept_on_disk
def _contract(m, k, B, over, among, out, power):
    """Fill out (R, d) and power (R,); whether an entry is zero only because its terms were too small to show.

    m: (R, t); k: (R, t) or (R, 1); B: (G, t, d), for R/G rows each; over and among: (R,), or −1 alone.
    """
    R, t = m.shape
    d, each, last = out.shape[1], R // len(B), k.shape[1] - 1
    hides = False
    for r in range(R):
        b = B[r // each]
        unit = k[r].max()
        lost = False
        for e in range(d):
            out[r, e] = 0.0
        for s in range(t):
            x = m[r, s] * _two_to(k[r, min(s, last)] - unit)
            lost |= x == 0.0 and m[r, s] != 0.0
            if x == 0.0:
                continue
            if over[0] >= 0:
                beside = b[over[r]]
                for e in range(d):
                    out[r, e] += x * (b[s, e] - beside[e])
            elif among[0] >= 0:
                winner = b[s, among[r]]
                for e in range(d):
                    out[r, e] += x * (b[s, e] - winner)
            else:
                for e in range(d):
                    out[r, e] += x * b[s, e]
        size = 0.0
        for e in range(d):
            size = max(size, abs(out[r, e]))
            hides |= lost and out[r, e] == 0.0
        shift = _exponent(size)
        power[r] = NOTHING if size == 0.0 else unit + shift
        share = _two_to(-shift)
        for e in range(d):
            out[r, e] *= share
    return hides


@kept_on_disk
def _through_softmax(p, log, winner, g_m, g_k, factor, m, k):
    """Fill m and k (R, T) for p, log and g_m (R, T), g_k (R, T) or (R, 1) and winner (R,)."""
    R, T = p.shape
    last = g_k.shape[1] - 1
    c, shares, powers = np.empty(T), np.empty(T), np.empty(T, dtype=np.int64)
    for r in range(R):
        best, unit = winner[r], g_k[r].max()
        own = g_m[r, best] * _two_to(g_k[r, min(best, last)] - unit)
        mean, top = 0.0, NOTHING
        for t in range(T):
            c[t] = g_m[r, t] * _two_to(g_k[r, min(t, last)] - unit) - own
            mean += p[r, t] * c[t]
            gone = log[r, t] == -np.inf
            near = np.rint(max(log[r, t], -1e15) * LOG2_E)
            shares[t] = 0.0 if gone else exp(log[r, t] - near * LN2_HIGH - near * LN2_LOW)
            powers[t] = NOTHING if gone else np.int64(near)
            top = max(top, powers[t] if c[t] != 0.0 else NOTHING)
        # For tokens that tie with the winner only the mean is left: it keeps a separate power.
        apart = 0.0
        for t in range(T):
            if c[t] != 0.0:  # of others the power may be beyond `top`
                apart += shares[t] * c[t] * _two_to(powers[t] - top)
        shift = _exponent(apart)
        apart, top = apart * _two_to(-shift), top + shift
        total, largest = 0.0, NOTHING
        for t in range(T):
            tied = c[t] == 0.0
            x = factor * shares[t] * (-apart if tied else c[t] - mean)
            x = 0.0 if t == best else x
            shift = _exponent(x)
            m[r, t] = x * _two_to(-shift)
            k[r, t] = NOTHING if x == 0.0 else powers[t] + unit + shift + (top if tied else 0)
            largest = max(largest, k[r, t])
        for t in range(T):
            total -= m[r, t] * _two_to(k[r, t] - largest)
        shift = _exponent(total)
        m[r, best] = total * _two_to(-shift)
        k[r, best] = NOTHING if total == 0.0 else largest + shift


def _relative(B: np.ndarray, over: np.ndarray | None, among: np.ndarray | None) -> np.ndarray:
    """What stands for B in every row of `contract`, (..., q, t, d) or, without winners, (..., 1, t, d)."""
    B = B[..., None, :, :]
    if over is not None:
        return B - np.take_along_axis(B, over[..., None], -2)
    return B if among is None else B - np.take_along_axis(B, among[..., None], -1)


def _with_hidden(a: Scaled, B: np.ndarray, found: Scaled) -> Scaled:
    """`found`, with the entries that are zero only because every term that they have was too small to show."""
    terms = a.m[..., None] * B
    k = np.where(terms == 0.0, NOTHING, a.k[..., None])
    unit = k.max(-2, keepdims=True)
    slow = by_entries(tidy(Scaled((terms * power_of_two(k - unit)).sum(-2), unit[..., 0, :])))
    fast = by_entries(found)
    hidden = fast.m == 0.0
    return Scaled(np.where(hidden, slow.m, fast.m), np.where(hidden, slow.k, fast.k))
