"""Numbers far below the smallest float: a mantissa of ordinary floats and a power of two beside it.

The derivatives of a saturated softmax fall like exp(−margin). As m·2^k with an integer k they keep all their digits,
however small. Scaling by a power of two rounds nothing, so that no result depends on which k was chosen.
"""

from typing import NamedTuple

import numpy as np

NOTHING = -(2**40)  # the power that goes with a zero
FLOOR = -1023  # 2^k below it is zero beside a number of size one
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts, the first with trailing zeros
LN2 = 0.6931471805599453


class Scaled(NamedTuple):
    """m·2^k.

    Attributes:
        m: (S, ...) float64.
        k: int64, with as many axes as m: of m's shape, or with a last axis of length one (a power for each row).
        winner: where the entries of a row add up to zero, the one that stands for minus the sum of the others; None
            elsewhere. Who adds up the row with weights takes weights relative to it.
    """

    m: np.ndarray
    k: np.ndarray
    winner: "Winner | None" = None

    @property
    def rowwise(self) -> bool:
        """Whether a row has one power."""
        return self.k.shape != self.m.shape

    def value(self) -> np.ndarray:
        """As ordinary floats; zero where it underflows."""
        return np.ldexp(self.m, np.clip(self.k, -5000, 5000).astype(np.int32))


def power_of_two(k: np.ndarray) -> np.ndarray:
    """2^k for integers k ≤ 1023; zero below 2^−1022."""
    return ((np.maximum(k, FLOOR) + 1023) << 52).view(np.float64)


def exponent(x: np.ndarray) -> np.ndarray:
    """The integer k with |x|/2^k in [½, 1), at least −1022; NOTHING for zero."""
    return np.where(x == 0.0, NOTHING, _bits(x) - 1022)


def _bits(x: np.ndarray) -> np.ndarray:
    """The exponent of x as it is stored: 1022 for numbers from ½ to 1, zero for those below 2^−1022."""
    return (x.view(np.int64) >> 52) & 0x7FF


def from_log(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """m and k with m·2^k = exp(x); zero for −∞."""
    finite = np.maximum(x, -1e15)
    k = np.rint(finite * LOG2_E)
    m = np.exp(finite - k * LN2_HIGH - k * LN2_LOW)
    gone = x == -np.inf
    return np.where(gone, 0.0, m), np.where(gone, NOTHING, k.astype(np.int64))


def tidy(a: Scaled) -> Scaled:
    """The same numbers with mantissas of size one: for each row the largest, or each by itself."""
    size = np.abs(a.m).max(-1, keepdims=True) if a.rowwise else a.m
    bits = np.minimum(_bits(size), 2044)
    k = np.where(size == 0.0, NOTHING, a.k + (bits - 1022))
    return Scaled(a.m * ((2045 - bits) << 52).view(np.float64), k, a.winner)


def by_rows(a: Scaled) -> Scaled:
    """With one power for each row; what is smaller than the row's largest by more than 2^1022 becomes zero."""
    if a.rowwise:
        return a
    k = a.k.max(-1, keepdims=True)
    return Scaled(a.m * power_of_two(a.k - k), k, a.winner)


def by_entries(a: Scaled) -> Scaled:
    """With a power for each entry."""
    if not a.rowwise:
        return a
    k = exponent(a.m)
    m = a.m * power_of_two(np.where(k == NOTHING, 0, -k))
    return Scaled(m, np.where(k == NOTHING, NOTHING, k + a.k), a.winner)


def plus(a: Scaled, b: Scaled) -> Scaled:
    """a + b, of one shape."""
    winner = a.winner if a.winner is b.winner else None
    if a.rowwise and b.rowwise and not _hides(a, b) and not _hides(b, a):
        k = np.maximum(a.k, b.k)
        return tidy(Scaled(a.m * power_of_two(a.k - k) + b.m * power_of_two(b.k - k), k, winner))
    a, b = by_entries(a), by_entries(b)
    k = np.maximum(a.k, b.k)
    return tidy(Scaled(a.m * power_of_two(a.k - k) + b.m * power_of_two(b.k - k), k, winner))


def _hides(a: Scaled, b: Scaled) -> bool:
    """Whether a row of a has zeros where b, in a row too small to show in a's unit, has none."""
    far = (a.k - b.k > -FLOOR - 100) & (b.k > NOTHING // 2)
    return bool(far.any() and (far & (a.m == 0.0) & (b.m != 0.0)).any())


def across(a: Scaled) -> Scaled:
    """The last two axes exchanged; each entry keeps its power."""
    return Scaled(a.m.swapaxes(-1, -2), np.broadcast_to(a.k, a.m.shape).swapaxes(-1, -2))


def closed(a: Scaled, winner: "Winner") -> Scaled:
    """a, with a power for each entry, and at the winner minus the sum of the others: rows that add up to zero."""
    here = np.arange(a.m.shape[-1]) == winner.index
    others = tidy(Scaled(np.where(here, 0.0, a.m), a.k))
    unit = others.k.max(-1, keepdims=True)
    own = tidy(Scaled(-(others.m * power_of_two(others.k - unit)).sum(-1, keepdims=True), unit))
    return Scaled(np.where(here, own.m, others.m), np.where(here, own.k, others.k), winner)


def total(a: Scaled, axes: tuple[int, ...]) -> Scaled:
    """The sum over `axes`, which stay with length one; not the last axis of one with a power for each row."""
    k = a.k.max(axes, keepdims=True)
    m = (a.m * power_of_two(a.k - k)).sum(axes, keepdims=True)
    return tidy(Scaled(m, k))


def contract(a: Scaled, B: np.ndarray) -> Scaled:
    """Σ_t a_qt B_td, (..., q, d) with a power for each row, for a (..., q, t).

    Args:
        B: (..., t, d), or one for each row, (..., q, t, d).
    """
    rows = by_rows(a)
    found = tidy(Scaled(_sum(rows.m, B), rows.k))
    return found if a.rowwise else _with_hidden(a, rows, B, found)


def _sum(m, B):
    return m @ B if B.ndim == m.ndim else (m[..., None, :] @ B)[..., 0, :]


def _with_hidden(a: Scaled, rows: Scaled, B: np.ndarray, found: Scaled) -> Scaled:
    """`found`, with the entries that are zero only because every term that they have was too small to show."""
    lost = (rows.m == 0.0) & (a.m != 0.0)
    if not lost.any() or (found.m != 0.0).all():
        return found
    terms = a.m[..., None] * (B if B.ndim > a.m.ndim else B[..., None, :, :])
    k = np.where(terms == 0.0, NOTHING, a.k[..., None])
    largest = k.max(-2, keepdims=True)
    slow = by_entries(tidy(Scaled((terms * power_of_two(k - largest)).sum(-2), largest[..., 0, :])))
    fast = by_entries(found)
    hidden = fast.m == 0.0
    return Scaled(np.where(hidden, slow.m, fast.m), np.where(hidden, slow.k, fast.k))


LARGE = 2**17  # numbers of an instance up to which the differences of all rows to a winner are formed


class Winner:
    """The winners of the rows of a softmax: a token for each row.

    Attributes:
        index: (..., q, 1) into the last axis.
    """

    def __init__(self, index: np.ndarray):
        self.index, self._last = index, (None, None)

    def relative(self, B: np.ndarray) -> np.ndarray:
        """B_t − B_winner, (..., q, t, d), for B (..., t, d): what cancels is not added first.

        B itself where that were too many numbers. The same differences are asked for twice, and kept.
        """
        if self.index[0].size * B.shape[-1] * B.shape[-2] > LARGE:
            return B
        if self._last[0] is not B:
            rows, t, d = self.index.shape[:-1], *B.shape[-2:]
            one = np.broadcast_to(B, (*rows[:-1], t, d))
            first = t * np.arange(one.size // (t * d)).reshape(*rows[:-1], 1)
            winners = one.reshape(-1, d)[first + self.index[..., 0]]
            self._last = B, one[..., None, :, :] - winners[..., None, :]
        return self._last[1]
