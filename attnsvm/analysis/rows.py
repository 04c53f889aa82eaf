"""Rows of a table."""

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def where(rows: "pd.DataFrame", **values) -> "pd.DataFrame":
    """The rows that have these values in these columns: perhaps none.

    Raises:
        KeyError: there is no such column.
    """
    met = [rows[column] == value for column, value in values.items()]
    return rows[reduce(and_, met)] if met else rows
