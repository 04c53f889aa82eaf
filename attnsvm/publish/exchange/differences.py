"""How far the numbers of a table are from those of a reference, where they are furthest, and what rounding allows.

Two processors add in different orders. A training of many steps carries that on: most numbers move by less than USUAL,
and some, such as those of an instance near a boundary between two ends, move as far as they like. A column of the
reference says how far its numbers were seen to move, and which share of them moved by more than USUAL. Numbers are the
same within rounding as long as no number moves MARGIN times as far, and no more than MARGIN times as many numbers move.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

USUAL = 1e-6  # relative: what rounding alone moves a number by; so few digits does no figure show
ROUNDING = 1e-12  # absolute: 1 − a correlation, a gap, a share are differences of numbers of order one
MARGIN = 3.0  # over the few processors that a tolerance was measured on


class Tolerance(NamedTuple):
    """What was seen of a column on several processors.

    Attributes:
        largest: the largest relative distance between two builds.
        share: of the numbers, those further apart than USUAL.
    """

    largest: float = 0.0
    share: float = 0.0

    def allows(self, apart: np.ndarray) -> bool:
        """Whether numbers at these relative distances from the reference are the same within rounding."""
        if not apart.size:
            return True
        beyond = np.count_nonzero(apart > USUAL)
        few = beyond <= max(1.0, MARGIN * self.share * apart.size) if self.share else beyond == 0
        return bool(few and apart.max() <= max(USUAL, MARGIN * self.largest))


@dataclass(frozen=True)
class Difference:
    """Where a column is furthest from its reference.

    Attributes:
        column: its name.
        row: the place of the number in the table, from 0.
        here, reference: the two numbers, or words.
        apart: their relative distance; infinite for words, and where one of the two is missing.
        numbers: how many numbers of the column are further apart than USUAL.
        allowed: whether the whole column is the same within rounding.
    """

    column: str
    row: int
    here: float | str
    reference: float | str
    apart: float
    numbers: int
    allowed: bool


def distances(here: pd.Series, reference: pd.Series) -> np.ndarray:
    """The relative distance of each number, (rows,); of words 0 or infinite, and infinite where one is missing."""
    if not (_numeric(here) and _numeric(reference)):
        same = (here.astype(str) == reference.astype(str)) & here.notna() & reference.notna()
        return np.where(same | (here.isna() & reference.isna()), 0.0, np.inf)
    a, b = (column.to_numpy(float) for column in (here, reference))
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.maximum(np.abs(a - b) - ROUNDING, 0.0) / np.maximum(np.maximum(np.abs(a), np.abs(b)), ROUNDING)
    apart[(a == b) | (np.isnan(a) & np.isnan(b))] = 0.0
    apart[np.isnan(apart)] = np.inf
    return apart


def seen(tables: list[pd.DataFrame]) -> dict[str, Tolerance]:
    """The tolerance of each column that moved, from one figure's tables on several processors, the reference first.

    Raises:
        ValueError: the tables do not have the same rows and columns, or differ in more than numbers.
    """
    first, *others = tables
    found = {}
    for column in first:
        apart = [distances(_like(first, other)[column], first[column]) for other in others]
        whole = np.concatenate(apart) if apart else np.zeros(0)
        if np.isinf(whole).any():
            raise ValueError(f"{column}: the builds differ in more than numbers")
        if whole.size and whole.max() > 0:
            found[column] = Tolerance(float(whole.max()), float((whole > USUAL).mean()))
    return found


def furthest(here: pd.DataFrame, reference: pd.DataFrame, tolerances: dict[str, Tolerance]) -> list[Difference]:
    """The columns that are not the same, those that rounding does not explain first, the furthest first.

    Args:
        here, reference: tables of the same columns and number of rows.
    """
    found = []
    for column in reference:
        apart = distances(here[column], reference[column])
        if not (apart > 0).any():
            continue
        row = int(apart.argmax())
        ours, theirs = here[column].iloc[row], reference[column].iloc[row]
        allowed = tolerances.get(column, Tolerance()).allows(apart)
        beyond = int(np.count_nonzero(apart > USUAL))
        found.append(Difference(str(column), row, ours, theirs, float(apart[row]), beyond, allowed))
    return sorted(found, key=lambda one: (one.allowed, -one.apart))


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _like(first: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    if list(first) != list(other) or len(first) != len(other):
        raise ValueError("the builds do not have the same rows and columns")
    return other
