"""Steps that several readings share: rows of a table in, rows out."""

import numpy as np
import pandas as pd

from attnsvm.analysis.rows import last as last
from attnsvm.analysis.rows import where as where
from attnsvm.audit.numbers import Estimate, estimate
from attnsvm.audit.reading import NoInstance, some


def single(rows: pd.DataFrame) -> pd.Series:
    """The one row that there is.

    Raises:
        ValueError: there are none, or several.
    """
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows where one is read")
    return rows.iloc[0]


def one(rows: pd.DataFrame, missing: str, **values) -> pd.Series:
    """The one row that has these values, which a configuration may leave out.

    Raises:
        NoInstance: there is none, so that the run has no `missing`.
        ValueError: there are several.
    """
    return single(some(where(rows, **values), missing))


def at_end(rows: pd.DataFrame, quantity: str, **who) -> Estimate:
    """A quantity after the last step, of the run that `who`, one column, names.

    Raises:
        NoInstance: there is no such run, or the quantity was measured in none of its instances then.
    """
    (name,) = who.values()
    after = last(some(where(rows, **who), f"row of {name}"))
    return estimate(one(after, f"{quantity} of {name}", quantity=quantity))


def decade_before(way: pd.DataFrame) -> pd.Series:
    """Of a run's rows, the last one that is a decade of steps before the end or earlier.

    Raises:
        NoInstance: there is none.
    """
    earlier = way[way["step"] <= way["step"].max() / 10]
    return single(last(some(earlier, "step a decade before the last")))


def decade(way: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Of a run's rows, sorted by step, the last one and that whose step is nearest to a tenth of the last.

    Raises:
        NoInstance: they are the same row.
    """
    end = way.iloc[-1]
    before = way.iloc[np.log10(way["step"] * 10 / end["step"]).abs().argmin()]
    if before["step"] == end["step"]:
        raise NoInstance("step about a decade before the last")
    return end, before


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
    return rows.assign(hits=(rows["value"] * rows["instances"]).round().astype(int))
