"""Rows of a table."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def where(rows: "pd.DataFrame", **values) -> "pd.DataFrame":
    """The rows that have these values in these columns: perhaps none.

    Raises:
        KeyError: there is no such column.
    """
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def last(rows: "pd.DataFrame", *of: str) -> "pd.DataFrame":
    """The rows of the last step; with columns `of`, of the last step of every group that has one value in each."""
    steps = rows.groupby([*of], dropna=False)["step"].transform("max") if of else rows["step"].max()
    return rows[rows["step"] == steps]
