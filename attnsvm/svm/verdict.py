"""What a checker proves of an answer: its status, bounds and ranks; and how statuses are counted."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context
from functools import cached_property
from typing import NamedTuple

from attnsvm.system.errors import require

LOOSEST = 1e-7  # relative gap that no tolerance exceeds: in the Frobenius norm an angle of 5e-4
STATUSES = ("solved", "infeasible", "remote", "uncertified")
COUNTS = (*STATUSES, "rational")  # rational: those of any status that were decided in rationals


class Ranks(NamedTuple):
    """The rank of W, and what is proved of the ranks of solutions.

    Attributes:
        rank: number of singular values of W that count; a description of W, rounded.
        rank_low: every solution has at least this rank.
        rank_bound, rank_error: every solution lies within rank_error times the least norm of a matrix of rank
            `rank_bound`, in the norm itself; NaN where nothing is known.
    """

    rank: int = 0
    rank_low: int = 0
    rank_bound: int = 0
    rank_error: float = math.nan


class Ranked:
    """What has ranks, which are counted when they are first read: singular values take longer than all else."""

    counted: Callable[[], Ranks]

    @cached_property
    def ranks(self) -> Ranks:
        return self.counted()

    @property
    def rank(self) -> int:
        """Number of singular values of W above the rank tolerance, a description of W; 0 unless solved."""
        return self.ranks.rank

    @property
    def rank_low(self) -> int:
        """Every solution has at least this rank."""
        return self.ranks.rank_low

    @property
    def rank_bound(self) -> int:
        """Every solution lies within rank_error times the least norm of a matrix of this rank."""
        return self.ranks.rank_bound

    @property
    def rank_error(self) -> float:
        """See `rank_bound`."""
        return self.ranks.rank_error


@dataclass(frozen=True)
class Verdict(Ranked):
    """What is proved.

    Attributes:
        status: "solved", "infeasible", "remote" or "uncertified".
        reason: why nothing is proved, or not what was claimed; "" if the claim holds.
        low, high: bounds of the least norm of a W that meets the constraints. Infeasible: both infinite;
            remote: `low` alone.
        radius: Frobenius norm: the solution lies within this distance of W; else NaN.
        arithmetic: "floating" or "rational", the one that decided; "" if nothing is proved.
        counted: finds the `ranks` when they are first read: singular values take longer than all else.
    """

    status: str
    reason: str = ""
    low: float = 0.0
    high: float = math.inf
    radius: float = math.nan
    arithmetic: str = ""
    counted: Callable[[], Ranks] = field(default=Ranks, repr=False, compare=False)

    @property
    def gap(self) -> float:
        """See `relative_gap`; infinite where there is no W."""
        return relative_gap(self.low, self.high)


def rounded_down(number: float) -> str:
    """A positive number in three digits that are not above it."""
    return f"{float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal_from_float(number)):.3g}"


def relative_gap(low: float, high: float) -> float:
    """(high − low)/high; infinite where nothing is known above."""
    if high == 0:
        return 0.0 if low == 0 else math.inf
    return (high - low) / high if high < math.inf else math.inf


def require_tight(experiment: str, rows: Iterable[Mapping]) -> None:
    """UserError unless what is called solved has a gap within the tolerance.

    The checker holds each answer to the tolerance of its norm; this is the loosest of these.

    Args:
        rows: with "solve", "solved" and "largest_gap", as `answers.count` has them, or its csv.
    """
    for row in rows:
        gap = float(row["largest_gap"] if row["largest_gap"] != "" else "nan")
        require(
            int(row["solved"]) == 0 or gap <= LOOSEST,
            f"{experiment}, {row['solve']}: an answer that is called solved has a relative gap of {gap:.1e}, and the "
            f"tolerance is {LOOSEST:.0e}: delete results/{experiment} and run snakemake again",
        )
