"""Numbers far below the smallest float: a mantissa of ordinary floats, and a power of two.

The derivatives of a saturated softmax fall like exp(−margin). As m·2^k with an integer k they keep all their digits,
however small. Scaling by a power of two rounds nothing, so no result depends on the choice of k.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.batch.arithmetic import LN2_HIGH, LN2_LOW, LOG2_E
from attnsvm.training.softmax import added, with_winner

NOTHING = -(2**40)  # the power that goes with a zero
FLOOR = -1023  # 2^k below it is zero relative to a number of size one
LN2 = 0.6931471805599453


class Scaled(NamedTuple):
    """m·2^k.

    Attributes:
        m: (S, ...) float64.
        k: int64, with as many axes as m: of m's shape, or with a last axis of length one (a power for each row).
        winner: where the entries of a row add up to zero, one that stands for minus the sum of the others, as an index
            (..., 1) into the last axis; None elsewhere. A weighted sum of the row takes the weights relative to it.
    """

    m: np.ndarray
    k: np.ndarray
    winner: np.ndarray | None = None

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
    """The integer k with |x|/2^k in [½, 1), for normal numbers; −1022 for zero and what is smaller."""
    return ((x.view(np.int64) >> 52) & 2047) - 1022


def largest(x: np.ndarray) -> np.ndarray:
    """The largest entry of each row, (..., 1)."""
    # NumPy is slow in rows as short as these are, and fast down columns.
    columns = np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
    return columns.max(0).reshape(*x.shape[:-1], 1)


def from_log(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """m and k with m·2^k = exp(x); zero for −∞."""
    finite = np.maximum(x, -1e15)
    k = np.rint(finite * LOG2_E)
    m = np.exp(finite - k * LN2_HIGH - k * LN2_LOW)
    gone = x == -np.inf
    return np.where(gone, 0.0, m), np.where(gone, NOTHING, k.astype(np.int64))


def tidy(a: Scaled) -> Scaled:
    """The same numbers with mantissas of size one: for each row the largest, or each by itself."""
    size = largest(np.abs(a.m)) if a.rowwise else np.ascontiguousarray(a.m)
    shift = exponent(size)
    return Scaled(a.m * power_of_two(-shift), np.where(size == 0.0, NOTHING, a.k + shift), a.winner)


def by_rows(a: Scaled) -> Scaled:
    """With one power for each row; what is smaller than the row's largest by more than 2^1022 becomes zero."""
    if a.rowwise:
        return a
    k = largest(a.k)
    return Scaled(a.m * power_of_two(a.k - k), k, a.winner)


def by_entries(a: Scaled) -> Scaled:
    """With a power for each entry."""
    return tidy(a._replace(k=np.broadcast_to(a.k, a.m.shape))) if a.rowwise else a


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


def closed(a: Scaled, winner: np.ndarray) -> Scaled:
    """a, with a power for each entry, and at the winner minus the sum of the others: rows that add up to zero."""
    others = tidy(Scaled(with_winner(a.m, winner, 0.0), a.k))
    unit = largest(others.k)
    own = tidy(Scaled(-added(others.m * power_of_two(others.k - unit)), unit))
    return Scaled(with_winner(others.m, winner, own.m), with_winner(others.k, winner, own.k), winner)


def total(a: Scaled, axes: tuple[int, ...]) -> Scaled:
    """The sum over `axes`, which stay with length one; not the last axis of one with a power for each row."""
    k = a.k.max(axes, keepdims=True)
    m = (a.m * power_of_two(a.k - k)).sum(axes, keepdims=True)
    return tidy(Scaled(m, k))
