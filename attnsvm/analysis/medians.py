"""Rows of a figure's table: the estimate that a group of measured values is summed up by."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from attnsvm.analysis.rows import last
from attnsvm.analysis.statistics import MEAN, MIDDLE, QUARTILES, mean_interval, median, share


def named_share(quantity: str) -> bool:
    """Whether a quantity that is called a share is one."""
    return quantity.startswith("share")


def medians(
    instances: pd.DataFrame,
    keys: list[str],
    is_share: Callable[[str], bool] | None = None,
    of_share: Callable[[np.ndarray], dict] = share,
    of_value: Callable[[np.ndarray], dict] = median,
    **further: Callable[[pd.DataFrame], float],
) -> pd.DataFrame:
    """A row for every group of measured values, in the order in which they come.

    A row has the keys, an estimate (of the median, or what `of_value` makes; of a quantity that is a share, what
    `of_share` makes), and what `further` makes of the group, by name.

    Args:
        instances: with the columns `keys` and "value".
        is_share: of a quantity, which is among the keys then; None: none is.
    """
    rows = []
    for group_keys, group in instances.groupby(keys, sort=False):
        row, values = dict(zip(keys, group_keys, strict=True)), group["value"].to_numpy(dtype=float)
        row |= of_share(values) if is_share and is_share(row["quantity"]) else of_value(values)
        rows.append(row | {name: made(group) for name, made in further.items()})
    return pd.DataFrame(rows)


def without_shares(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The table with no number in these columns where its quantity is a share."""
    shares = table["quantity"].map(named_share)
    return table.assign(**{column: table[column].where(~shares) for column in columns})


def largest(group: pd.DataFrame) -> float:
    """The largest value of a group, for `medians`."""
    return group["value"].max()


def quartiles(groups: "pd.core.groupby.SeriesGroupBy", **further) -> pd.DataFrame:
    """A row for every group of a column: its median with the quartiles, and what `further` asks for."""
    ends = {"low": lambda values: values.quantile(0.25), "high": lambda values: values.quantile(0.75)}
    return groups.agg(value="median", **ends, instances="count", **further).reset_index().assign(interval=QUARTILES)


def middles(groups: "pd.core.groupby.SeriesGroupBy") -> pd.DataFrame:
    """A row for every group of a column: its mean with the middle 68 % of it."""
    ends = {"low": _quantile(16), "high": _quantile(84)}
    return groups.agg(value="mean", **ends, instances="size").reset_index().assign(interval=MIDDLE)


def means(groups: "pd.core.groupby.SeriesGroupBy") -> pd.DataFrame:
    """A row for every group of a column: its mean with the 95 % interval."""
    found = groups.agg(["mean", "std", "size"]).reset_index()
    value, low, high = mean_interval(found["mean"], found["std"], found["size"])
    estimates = {"value": value, "low": low, "high": high, "instances": found["size"], "interval": MEAN}
    return found.drop(columns=["mean", "std", "size"]).assign(**estimates)


def with_means(of: Callable[..., pd.DataFrame], instances: pd.DataFrame, keys: list[str], **further) -> pd.DataFrame:
    """A row for every group of measured values, as `quartiles` or `middles` makes it; then the means of the last step.

    Args:
        of: one of the two.
        instances: with the columns `keys`, among them "step", and "value".
    """
    ends = last(instances, *(key for key in keys if key != "step"))
    whole, own = (rows.groupby(keys, sort=False)["value"] for rows in (instances, ends))
    return pd.concat([of(whole, **further), means(own)], ignore_index=True)


def _quantile(percent: int):
    return lambda column: np.percentile(column.dropna(), percent)  # a fifth of the time of pandas' own, and its value
