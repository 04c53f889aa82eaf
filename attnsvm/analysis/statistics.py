"""Estimates: a number, the ends of its interval, over how many instances it is, and which interval that is.

An estimate has the columns `ESTIMATE`, in every table alike; a function below makes the one of its interval.

Without scipy.stats, whose import takes longer than most measures do; the tests compare with it to the bit.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

ESTIMATE = ("value", "low", "high", "instances", "interval")
SHARE, MEAN, MEDIAN = "Wilson 95 %", "95 % of the mean", "95 % of the median"
RATIO = "95 % of the ratio of means"
QUARTILES = "quartiles"  # the value is the median
# From 16 % to 84 % of the instances: as wide as two standard deviations of a Gaussian, but never beyond what occurs.
MIDDLE = "middle 68 %"  # the value is the mean
FEWEST = 6  # values whose median has a 95 % interval
Z95 = 1.959963984540054  # the normal quantile of a 95 % interval


def wilson(hits: int, count: int) -> tuple[float, float, float]:
    """A share and its 95 % Wilson score interval: value, low, high.

    Raises:
        ValueError: there is no share of `hits` in `count`.
    """
    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"hits: expected 0 to {count} out of at least one, got {hits}")
    n, p, z = int(count), int(hits) / int(count), Z95
    width = 2 * (n + z * z)
    middle, half = (2 * n * p + z * z) / width, z / width * math.sqrt(4 * n * p * (1 - p) + z * z)
    return hits / count, middle - half if hits else 0.0, middle + half if hits < count else 1.0


def mean_interval(mean: float, std: float, count: float) -> tuple[float, float, float]:
    """A mean with its 95 % interval (Student) from the standard deviation over `count` instances: value, low, high.

    One instance has no ends: they are NaN.
    """
    from scipy.special import stdtrit

    half = stdtrit(np.asarray(count) - 1, 0.975) * std / np.sqrt(count)
    return mean, mean - half, mean + half


def sample_interval(values: "np.ndarray | pd.Series") -> tuple[float, float, float]:
    """The mean of one value per instance, (m,), and its 95 % interval: value, low, high; without ends for one value."""
    return mean_interval(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else math.nan, len(values))


def share_interval(values: np.ndarray) -> tuple[float, float, float]:
    """The mean of one share per instance, (m,), and its 95 % interval inside [0, 1]: value, low, high."""
    mean, low, high = sample_interval(values)
    return mean, max(low, 0.0), min(high, 1.0)


def median_interval(values: np.ndarray) -> tuple[float, float, float]:
    """A median and its 95 % interval between two of the sorted values (m,), whatever their distribution.

    The interval of the values numbered a and b from below misses the median if fewer than a, or more than b − 1 of them
    lie below it: each happens with at most 2.5 %. Fewer than six values have no such interval: its ends are NaN.
    """
    from scipy.special import bdtr

    if len(values) < FEWEST:
        return float(np.median(values)), math.nan, math.nan

    values = np.sort(np.asarray(values, dtype=float))
    # P(fewer than `below` lie below the median) ≤ 2.5 %
    below = int(np.searchsorted(bdtr(np.arange(len(values) // 2 + 1), len(values), 0.5), 0.025))
    low, high = max(below - 1, 0), min(len(values) - below, len(values) - 1)
    return float(np.median(values)), float(values[low]), float(values[high])


def share(hits: "np.ndarray | pd.Series") -> dict:
    """The share of instances that hit, (m,) bool or ones and zeros, with its Wilson interval: an estimate."""
    return _estimate(SHARE, lambda hits: wilson(int(hits.sum()), len(hits)), hits)


def mean(values: "np.ndarray | pd.Series") -> dict:
    """The mean of one value per instance, (m,), of a single one without ends: an estimate."""
    return _estimate(MEAN, sample_interval, values)


def mean_share(values: np.ndarray) -> dict:
    """The mean of one share per instance, (m,), with an interval inside [0, 1]: an estimate."""
    return _estimate(MEAN, share_interval, values)


def median(values: np.ndarray) -> dict:
    """The median of one value per instance, (m,): an estimate."""
    return _estimate(MEDIAN, median_interval, values)


def middle_half(values: np.ndarray) -> dict:
    """The median of one value per instance, (m,), with the quartiles: an estimate."""
    return _estimate(QUARTILES, lambda values: tuple(np.quantile(values, (0.5, 0.25, 0.75))), values)


def ratio(values: np.ndarray, others: np.ndarray) -> dict:
    """The mean of one value per instance over the mean of another of the same instances, (m,) each: an estimate."""
    value, apart = values.mean() / others.mean(), values / values.mean() - others / others.mean()
    _, low, high = sample_interval(apart)  # of the logarithm, to first order
    return _estimate(RATIO, lambda _: (value, value * math.exp(low), value * math.exp(high)), values)


def _estimate(interval: str, of: Callable[..., tuple], values: "np.ndarray | pd.Series") -> dict:
    numbers = of(values) if len(values) else (math.nan,) * 3
    return dict(zip(ESTIMATE, (*numbers, len(values), interval), strict=True))
