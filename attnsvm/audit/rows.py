"""Rows of a table, by the few words with which claims and the manuscript ask for numbers.

(end,) = chosen(table, {"run": "flow", "quantity": "distance", "step": LAST})
shares = where(table, kind="share")
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pandas as pd

from attnsvm.analysis.rows import equal
from attnsvm.analysis.rows import last as last
from attnsvm.analysis.rows import where as where


class NoInstance(Exception):
    """The configuration of this run leaves no instance that a claim could be checked on; its message says which."""

    def __init__(self, what: str):
        super().__init__(f"this run has no {what}: nothing could be checked")


class Place(Enum):
    """Which rows, instead of those with a value: those of the column's last or first value, or each value's.

    TENTH is the last value that is no larger than a tenth of the last one: of steps, a decade before the end.

    Last and first are those of the rows that the other columns leave: of a quantity its own last step.

    MOST and LEAST are last and first of a column that must have a second value, so that there is something to compare.
    """

    LAST = "last"
    FIRST = "first"
    EACH = "each"
    MOST = "most"
    LEAST = "least"
    TENTH = "tenth"


LAST, FIRST, EACH, MOST, LEAST, TENTH = Place


@dataclass(frozen=True)
class Those:
    """Each of those values that a column has and that are accepted: `Those("with dropout", lambda name: ...)`."""

    words: str
    accept: Callable[..., bool]


def chosen(
    table: pd.DataFrame, values: Mapping[str, object], missing: str = "", column: str = ""
) -> Iterator[pd.DataFrame]:
    """The rows that a query leaves: once, or for every value of the columns that have several.

    Args:
        values: of a column its value, None for rows without one; several, in a tuple, of which each is read, or
            `Those` that there are; or a `Place`. The columns are taken in this order, places other than `EACH` after
            the others.
        missing: what a run without such a row has not, for `NoInstance`; names of `values` in braces.
        column: rows without a number in this column are left out; "": no column.

    Raises:
        NoInstance: for some of the values there is no row.
        KeyError: there is no such column.
    """
    yield from _chosen(table, np.ones(len(table), bool), dict(values), missing, column)


def _chosen(table, rows: np.ndarray, values: dict, missing: str, column: str) -> Iterator[pd.DataFrame]:
    several = {name: value for name, value in values.items() if isinstance(value, tuple | Those) or value is EACH}
    for name, value in values.items():
        if not isinstance(value, tuple | Those | Place):
            rows = _some(rows & equal(table[name], value), values, missing)
    if several:
        name, each = next(iter(several.items()))
        if isinstance(each, Those):
            rows = rows & table[name].isin([one for one in table[name][rows].dropna().unique() if each.accept(one)])
        _some(rows, values, missing)
        for value in each if isinstance(each, tuple) else dict.fromkeys(table[name][rows]):
            yield from _chosen(table, rows, {**values, name: value}, missing, column)
        return
    for name, place in values.items():
        if isinstance(place, Place):
            left = table[name][rows]
            if place in (MOST, LEAST) and left.nunique() < 2:
                raise NoInstance(f"second value of {name}")
            end = left.min() if place in (FIRST, LEAST) else left.max()
            if place is TENTH and pd.isna(end := left[left <= end / 10].max()):
                raise NoInstance(f"{name} a decade before the last")
            rows = _some(rows & equal(table[name], end), values, missing)
    numbered = ~equal(table[column], None) if column else True
    yield table[_some(rows & numbered, values, missing)]


def _some(rows: np.ndarray, values: dict, missing: str) -> np.ndarray:
    if not rows.any():
        # Where none of several values has a row, the sentence names the first.
        first = {name: value[0] if isinstance(value, tuple) else value for name, value in values.items()}
        known = {name: value for name, value in first.items() if not isinstance(value, Those | Place)}
        pairs = ", ".join(f"{name} = {value}" for name, value in known.items())
        raise NoInstance(missing.format_map(_Named(known)) if missing else f"row with {pairs}")
    return rows


class _Named(dict):
    def __missing__(self, name: str) -> str:
        return "{" + name + "}"


def some(rows: pd.DataFrame, what: str) -> pd.DataFrame:
    """The rows, for a selection that a configuration may leave empty.

    Args:
        what: what is missing then, in the singular: "separable instance".

    Raises:
        NoInstance: there is no row.
    """
    if rows.empty:
        raise NoInstance(what)
    return rows


def only(rows: pd.DataFrame, **values) -> pd.DataFrame:
    """The rows that have these values in these columns.

    Raises:
        KeyError: there is no such column.
        NoInstance: the column has no such value.
    """
    kept = np.ones(len(rows), bool)
    for column, value in values.items():
        kept &= equal(rows[column], value)
        if not kept.any():
            raise NoInstance(f"row with {column} = {value}")
    return rows[kept] if values else rows


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


def decade(way: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The last row of a run, sorted by step, and the row whose step is nearest to a tenth of the last.

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
