"""Steps that several readings share: rows of a table in, rows or numbers out."""

import pandas as pd

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import NoInstance


def last(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last step."""
    return rows[rows["step"] == rows["step"].max()]


def single(rows: pd.DataFrame) -> pd.Series:
    """The one row that there is.

    Raises:
        ValueError: there are none, or several.
    """
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows where one is read")
    return rows.iloc[0]


def ends(rows: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    """The first and the last row of rows sorted by `column`.

    Raises:
        NoInstance: `column` has one value only, so that nothing can be compared.
    """
    if rows[column].nunique() < 2:
        raise NoInstance(f"second value of {column}")
    return rows.iloc[0], rows.iloc[-1]


def with_hits(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table of shares with a column `hits`: how many instances each share counts."""
    return rows.assign(hits=(rows["share"] * rows["instances"]).round().astype(int))


def sample_mean(values: pd.Series) -> tuple[float, float, float]:
    """The mean of one value per instance and its 95 % interval: value, low, high."""
    return mean_interval(values.mean(), values.std(ddof=1), len(values))
