"""Shares and means with their 95 % intervals.

Without scipy.stats, whose import takes longer than most measures do; the tests compare with it to the bit.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

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


def share(hits: "np.ndarray | pd.Series", of: str = "share") -> dict:
    """The share of instances that hit, (m,) bool, with its 95 % Wilson score interval: `of`, low, high, instances."""
    value, low, high = wilson(int(hits.sum()), len(hits))
    return {of: value, "low": low, "high": high, "instances": len(hits)}


def mean_of(values: "np.ndarray | pd.Series") -> dict:
    """The mean of one value per instance, (m,), as `sample_interval` has it: value, low, high, instances."""
    return dict(zip(("value", "low", "high"), sample_interval(values), strict=True)) | {"instances": len(values)}


def mean_interval(mean: float, std: float, count: float) -> tuple[float, float, float]:
    """A mean with its 95 % interval from the standard deviation over `count` instances: value, low, high."""
    half = Z95 * std / np.sqrt(count)
    return mean, mean - half, mean + half


def sample_interval(values: "np.ndarray | pd.Series") -> tuple[float, float, float]:
    """The mean of one value per instance, (m,), and its 95 % interval: value, low, high; without ends for one value."""
    return mean_interval(values.mean(), values.std(ddof=1), len(values))


def share_interval(values: np.ndarray) -> tuple[float, float, float]:
    """The mean of one share per instance, (m,), and its 95 % interval inside [0, 1]: value, low, high."""
    mean, low, high = mean_interval(values.mean(), values.std(ddof=1) if len(values) > 1 else 0.0, len(values))
    return mean, max(low, 0.0), min(high, 1.0)


def _quantile(percent: int):
    return lambda column: np.percentile(column.dropna(), percent)  # a fifth of the time of pandas' own, and its value


# The ends of the middle 68 % of a column, for pandas' `agg`: as wide as two standard deviations of a Gaussian, but
# never beyond what occurs.
MIDDLE = {"low": _quantile(16), "high": _quantile(84)}


def median_interval(values: np.ndarray) -> tuple[float, float, float]:
    """A median and its 95 % interval between two of the sorted values (m,), whatever their distribution.

    The interval of the values numbered a and b from below misses the median if fewer than a, or more than b − 1 of them
    lie below it: each happens with at most 2.5 %. For fewer than six values the interval is that of all values.
    """
    from scipy.special import bdtr

    values = np.sort(np.asarray(values, dtype=float))
    # P(fewer than `below` lie below the median) ≤ 2.5 %
    below = int(np.searchsorted(bdtr(np.arange(len(values) // 2 + 1), len(values), 0.5), 0.025))
    low, high = max(below - 1, 0), min(len(values) - below, len(values) - 1)
    return float(np.median(values)), float(values[low]), float(values[high])


def quartiles(groups: "pd.core.groupby.SeriesGroupBy", **further) -> "pd.DataFrame":
    """A row for every group of a column: median, quartiles as low and high, what `further` asks for, instances."""
    ends = {"low": lambda values: values.quantile(0.25), "high": lambda values: values.quantile(0.75)}
    return groups.agg(median="median", **ends, **further, instances="size").reset_index()
