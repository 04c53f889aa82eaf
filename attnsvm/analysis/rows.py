"""Rows of a table."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def where(rows: "pd.DataFrame", **values) -> "pd.DataFrame":
    """The rows that have these values in these columns: perhaps none.

    Raises:
        KeyError: there is no such column.
    """
    if not values:
        return rows
    return rows[np.logical_and.reduce([equal(rows[column], value) for column, value in values.items()])]


def last(rows: "pd.DataFrame", *of: str) -> "pd.DataFrame":
    """The rows of the last step; with columns `of`, of the last step of every group that has one value in each."""
    steps = rows.groupby([*of], dropna=False)["step"].transform("max") if of else rows["step"].max()
    return rows[rows["step"] == steps]


def equal(column: "pd.Series", value: object) -> np.ndarray:
    """Which rows of a column have this value, True or False (rows,); None: which have none."""
    kind = column.dtype
    without_na = kind.kind in "biuf" if isinstance(kind, np.dtype) else getattr(kind, "na_value", None) is np.nan
    if without_na and isinstance(value, str | int | float | np.generic):
        return np.asarray(column.to_numpy() == value)  # ten times as quick as a comparison of Series
    same = column.isna() if value is None else column == value
    return same.to_numpy() if same.dtype == bool else same.to_numpy(bool, na_value=False)
