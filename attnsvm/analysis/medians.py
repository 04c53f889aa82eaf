"""Rows of a figure's table: what a group of measured values is summed up by, with an interval."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from attnsvm.analysis.statistics import mean_interval, median_interval, wilson

Interval = tuple[float, float, float]


def counted(values: np.ndarray) -> Interval:
    """The share of ones among zeros and ones (m,), with its Wilson interval: value, low, high."""
    return wilson(int(values.sum()), len(values))


def named_share(quantity: str) -> bool:
    """Whether a quantity that is called a share is one."""
    return quantity.startswith("share")


def medians(
    instances: pd.DataFrame,
    keys: list[str],
    is_share: Callable[[str], bool] | None = None,
    of_share: Callable[[np.ndarray], Interval] = counted,
    of_value: Callable[[np.ndarray], Interval] = median_interval,
    **further: Callable[[pd.DataFrame], float],
) -> pd.DataFrame:
    """A row for every group of measured values, in the order in which they come.

    A row has the keys, value, low and high (a median with its 95 % interval, or what `of_value` makes; of a quantity
    that is a share, what `of_share` makes), what `further` makes of the group, by name, and how many instances it has.

    Args:
        instances: with the columns `keys` and "value".
        is_share: of a quantity, which is among the keys then; None: none is.
    """
    rows = []
    for group_keys, group in instances.groupby(keys, sort=False):
        row, values = dict(zip(keys, group_keys, strict=True)), group["value"].to_numpy(dtype=float)
        interval = of_share(values) if is_share and is_share(row["quantity"]) else of_value(values)
        row |= zip(("value", "low", "high"), interval, strict=True)
        rows.append(row | {name: made(group) for name, made in further.items()} | {"instances": len(group)})
    return pd.DataFrame(rows)


def without_shares(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The table with no number in these columns where its quantity is a share."""
    shares = table["quantity"].map(named_share)
    return table.assign(**{column: table[column].where(~shares) for column in columns})


def largest(group: pd.DataFrame) -> float:
    """The largest value of a group, for `medians`."""
    return group["value"].max()


def means(groups: "pd.core.groupby.SeriesGroupBy") -> pd.DataFrame:
    """A row for every group of a column: its mean as value, the 95 % interval as low and high, instances."""
    found = groups.agg(["mean", "std", "size"]).reset_index()
    value, low, high = mean_interval(found["mean"], found["std"], found["size"])
    return found.drop(columns=["mean", "std", "size"]).assign(value=value, low=low, high=high, instances=found["size"])
