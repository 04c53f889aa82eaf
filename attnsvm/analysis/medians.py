"""Rows of a figure's table: of each quantity its median over the instances, or a share, with a 95 % interval."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from attnsvm.analysis.statistics import median_interval, wilson

Interval = tuple[float, float, float]


def counted(values: np.ndarray) -> Interval:
    """The share of ones among zeros and ones (m,), with its Wilson interval: value, low, high."""
    return wilson(int(values.sum()), len(values))


def medians(
    instances: pd.DataFrame,
    keys: list[str],
    is_share: Callable[[str], bool] = lambda quantity: False,
    of_share: Callable[[np.ndarray], Interval] = counted,
) -> Iterator[tuple[dict, pd.DataFrame]]:
    """(row, its instances) of every group of measured values, in the order in which they come.

    A row has the keys, value, low and high: a median, or what `of_share` makes of a quantity that is a share.

    Args:
        instances: with the columns `keys`, "quantity" among them, and "value".
        is_share: of a quantity.
    """
    for group_keys, group in instances.groupby(keys, sort=False):
        row, values = dict(zip(keys, group_keys, strict=True)), group["value"].to_numpy(dtype=float)
        interval = of_share(values) if is_share(row["quantity"]) else median_interval(values)
        yield row | dict(zip(("value", "low", "high"), interval, strict=True)), group
