"""Shares and means with their 95 % intervals."""

import numpy as np
from scipy.stats import binomtest

Z95 = 1.959963984540054  # the normal quantile of a 95 % interval


def wilson(hits: int, count: int) -> tuple[float, float, float]:
    """A share and its 95 % Wilson score interval: value, low, high."""
    interval = binomtest(hits, count).proportion_ci(0.95, method="wilson")
    return hits / count, interval.low, interval.high


def share(hits: int, instances: int) -> dict:
    """A share and its 95 % Wilson score interval, as columns share, low, high, instances."""
    value, low, high = wilson(hits, instances)
    return {"share": value, "low": low, "high": high, "instances": instances}


def mean_interval(mean: float, std: float, count: float) -> tuple[float, float, float]:
    """A mean with its 95 % interval from the standard deviation over `count` instances: value, low, high."""
    half = Z95 * std / np.sqrt(count)
    return mean, mean - half, mean + half


# The ends of the middle 68 % of a column, for pandas' `agg`: as wide as two standard deviations of a Gaussian, but
# never beyond what occurs.
MIDDLE = {"low": lambda column: column.quantile(0.16), "high": lambda column: column.quantile(0.84)}
