"""A number with its interval, limits for it, and whether it is still on its way to one."""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from attnsvm.analysis.statistics import median_interval, sample_interval, wilson
from attnsvm.system.errors import require

POINTS = 4  # at least, on the decade of `goes_to`
MOVES = 0.2  # of what is missing, per decade
SIGNS = {"≤": operator.le, "≥": operator.ge, "<": operator.lt, ">": operator.gt}


class Estimate(NamedTuple):
    """A number, the ends of its interval (NaN where it is exact or an extreme), and how many instances it is over.

    Of too few instances for an interval the ends are infinite: no limit is met, and none is decided.
    """

    value: float
    low: float
    high: float
    instances: float

    def off(self, wanted: float) -> float:
        """How far the farther end of the interval is from a number; of an interval turned round, its nearest point."""
        if self.low > self.high:
            return max(self.high - wanted, wanted - self.low, 0.0)
        return max(abs(self.low - wanted), abs(self.high - wanted))


def estimate(row: pd.Series) -> Estimate:
    """Of a row with the columns value, low, high, instances, whose intervals are turned round where they must be."""
    return bounded(row["value"], row["low"], row["high"], row["instances"])


def bounded(value: float, low: float, high: float, instances: float) -> Estimate:
    """An estimate from a table; NaN is the end of an interval that too few instances have."""
    if np.isnan(low) and not np.isnan(value):
        return interval(value, -np.inf, np.inf, instances)
    return Estimate(value, low, high, instances)


_TURNED = ContextVar("_TURNED", default=False)


@contextmanager
def turned_round() -> Iterator[None]:
    """Inside, every interval that is made has its ends exchanged: a limit is asked of the end that meets it sooner."""
    token = _TURNED.set(True)
    try:
        yield
    finally:
        _TURNED.reset(token)


def interval(value: float, low: float, high: float, instances: float) -> Estimate:
    """A number with an interval that a claim has computed itself; ends that are NaN are those of too few instances."""
    if np.isnan(low) and not np.isnan(value):
        low, high = -np.inf, np.inf
    return Estimate(value, *((high, low) if _TURNED.get() else (low, high)), instances)


def sample_mean(values: pd.Series) -> Estimate:
    """The mean of one value per instance and its 95 % interval."""
    return interval(*sample_interval(values), len(values))


def sample_median(values: pd.Series) -> Estimate:
    """The median of one value per instance and its 95 % interval."""
    return interval(*median_interval(values.to_numpy()), len(values))


def proportion(hits: float, instances: float) -> Estimate:
    """A share with its 95 % Wilson interval."""
    return interval(*wilson(int(hits), int(instances)), int(instances))


def share_of(hits: pd.Series) -> Estimate:
    """The share of instances that hit, one yes or no each, with its 95 % Wilson interval."""
    return proportion(hits.sum(), len(hits))


def holm(hits: np.ndarray, counts: np.ndarray, share: float) -> np.ndarray:
    """How likely at least so many hits are, at most, in each of m cells whose true share is this: binomial tails (m,),
    multiplied as Holm does for the number of cells that are looked at."""
    from scipy.special import bdtrc

    tails = np.where(hits > 0, bdtrc(np.maximum(hits, 1) - 1, counts, share), 1.0)
    order = np.argsort(tails)
    adjusted = np.maximum.accumulate(tails[order] * np.arange(len(tails), 0, -1))
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def exact(value: float, instances: float) -> Estimate:
    """A number without an interval."""
    return Estimate(value, float("nan"), float("nan"), instances)


def difference(one: Estimate, other: Estimate) -> Estimate:
    """The first minus the second; the ends are as far apart as both intervals allow."""
    return Estimate(one.value - other.value, one.low - other.high, one.high - other.low, one.instances)


def largest(estimates: Mapping[str, Estimate] | Iterable[Estimate], by: str = "value") -> Estimate:
    """The first of those that have the largest `by`: value, low or high."""
    return max(estimates.values() if isinstance(estimates, Mapping) else estimates, key=operator.attrgetter(by))


def smallest(estimates: Mapping[str, Estimate] | Iterable[Estimate], by: str = "value") -> Estimate:
    """The first of those that have the smallest `by`: value, low or high."""
    return min(estimates.values() if isinstance(estimates, Mapping) else estimates, key=operator.attrgetter(by))


@dataclass(frozen=True)
class Limit:
    """A condition on a number.

    Attributes:
        value: the limit; NaN if there is none.
        wanted: the condition on a number, with "{}" for the limit: "≤ {}", "mean ≤ {}".
        why: the reason for the limit; for a claim that cannot be tested, why it cannot.
    """

    value: float
    wanted: str
    why: str

    def __post_init__(self):
        one = re.fullmatch(r"[^{}≤≥<>]*[≤≥<>] \{\}", self.wanted) or pd.isna(self.value)
        require(bool(one), f"{self.wanted!r}: expected words that end with a sign and the limit, such as 'mean ≤ {{}}'")

    def __call__(self, number: float | Estimate) -> bool:
        """Whether a number is inside the limit; of an estimate, the whole of its interval."""
        if isinstance(number, Estimate):
            number = number.high if self._sign in "≤<" else number.low
        return bool(SIGNS[self._sign](number, self.value))

    def against(self, number: Estimate) -> bool:
        """Whether the whole interval lies beyond the limit."""
        return bool(number.low > self.value) if self._sign in "≤<" else bool(number.high < self.value)

    def worst(self, estimates: Mapping[str, Estimate] | Iterable[Estimate]) -> Estimate:
        """Among several numbers under this limit, the one whose interval reaches farthest towards it."""
        return largest(estimates, "high") if self._sign in "≤<" else smallest(estimates, "low")

    @property
    def falls(self) -> bool:
        """Whether a number meets it from above."""
        return self._sign in "≤<"

    @property
    def text(self) -> str:
        """What is asked, with the limit in it: "mean ≤ 0.001"."""
        return self.wanted.format(f"{self.value:g}")

    @property
    def _sign(self) -> str:
        return self.wanted[-4]


def each(estimates: Mapping[str, Estimate], words: str, met: Callable[[Estimate], bool]) -> dict[str, bool]:
    """A part of a claim for every number, by `words`: "{}" stands for its name, then "{.value:.2g}" for the number."""
    return {words.format(name, number): bool(met(number)) for name, number in estimates.items()}


def goes_to(limit: float, falls: bool, steps: np.ndarray, values: np.ndarray) -> bool:
    """Whether values (m,) after `steps` (m,) go to a limit from above (`falls`) or from below, and are not there.

    "Fails" of a limit means that the number stands still on the wrong side. A number moves where the whole 95 %
    interval of its slope against the logarithm of the step, by least squares over the last decade of steps, points to
    the limit, and a decade more at the nearer end of that interval changes a fifth of what is missing, or more.
    """
    if len(steps) < POINTS or not np.isfinite(values).all():
        return False
    missing = values - limit if falls else limit - values
    slope, half = slope_interval(np.log10(steps), values)
    nearest = -(slope + half) if falls else slope - half
    return bool(missing[-1] > 0 and nearest >= MOVES * missing[-1])


def slope_interval(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The slope of y (m,) against x (m,) by least squares, and half of its 95 % interval (Student)."""
    from scipy.special import stdtrit

    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    return slope, float(stdtrit(len(x) - 2, 0.975) * np.sqrt(rest @ rest / (len(x) - 2) / (x @ x)))
