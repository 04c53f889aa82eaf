"""The mutation test of a claim: changes of one number, or of one column in a few rows, that flip its conditions.

It needs no table of its own: it changes that of a run, such as the release's.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from attnsvm.audit.evaluation import Claim, NoInstance, Reading, Tables
from attnsvm.audit.numbers import Limit

FEW = 60  # values that a column of names or sizes may have to be one that tells rows apart
FEW_NEEDED = 16  # values that are tried one by one, whether a claim needs them
LARGE = 0.25  # share of the rows: changes of so many are tried first
TRIES = 5000  # changes of a table, before a condition is given up
BEYOND = 1e-6  # of a limit: how far beyond it a number is set
ENDS = (-1e6, 1e6)  # beyond every limit
FAR = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Change:
    """Columns of a table, changed in the rows that have these values.

    Attributes:
        rows: value by column; none: all rows.
        columns: of the numbers; several are changed alike. Or of words.
        made: what becomes of them: a number, a word of `WAYS`, or another word of the column.
    """

    rows: tuple[tuple[str, object], ...]
    columns: tuple[str, ...]
    made: float | str

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with the change; a column of yes and no keeps to these."""
        chosen = np.ones(len(table), bool)
        for column, value in self.rows:
            chosen &= (table[column] == value).to_numpy()
        changed = {}
        for column in self.columns:
            if not is_numeric_dtype(table[column]):
                changed[column] = table[column].mask(chosen, self.made)
                continue
            numbers = table[column].to_numpy(dtype=float, copy=True)
            if chosen.any():
                numbers[chosen] = WAYS[self.made](numbers[chosen]) if isinstance(self.made, str) else self.made
            whole = table[column].dtype.kind in "iub" and np.array_equal(numbers, np.round(numbers))
            changed[column] = numbers.astype(table[column].dtype) if whole else numbers
        return table.assign(**changed)


WAYS = {
    "shifted": lambda numbers: 1.37 * numbers + 0.11,
    "negated": lambda numbers: -numbers,
    "reversed": lambda numbers: numbers[::-1],
    "mostly least": lambda numbers: np.where(np.arange(len(numbers)) < len(numbers) - 1, numbers.min(), numbers),
    "mostly largest": lambda numbers: np.where(np.arange(len(numbers)) < len(numbers) - 1, numbers.max(), numbers),
    "shuffled": lambda numbers: np.random.default_rng(0).permutation(numbers),
    # A share falls in every group, and there still is something that it is of.
    "three of four least": lambda numbers: np.where(np.arange(len(numbers)) % 4, numbers.min(), numbers),
    "three of four largest": lambda numbers: np.where(np.arange(len(numbers)) % 4, numbers.max(), numbers),
}


def unflipped(claim: Claim, name: str, table: pd.DataFrame, tries: int = TRIES) -> list[str]:
    """The conditions of a claim that no change tried here flips, in the words of the audit; [] if each can fail.

    Args:
        name: the experiment of the claim.
        table: of its figure, on which the claim has an instance; `slim` makes the test shorter.
        tries: the number of changes after which the rest is given up.

    Raises:
        NoInstance: the claim has none on this table.
    """
    first = _reading(claim, name, table)
    words, before = list(first.parts), list(first.parts.values())
    left = set(range(len(words)))
    for change in itertools.islice(changes(claim, name, table), tries):
        after = attempt(claim, name, change.of(table))
        if isinstance(after, Reading) and len(after.parts) == len(before):
            left -= {place for place, met in enumerate(after.parts.values()) if met != before[place]}
        if not left:
            break
    return [words[place] for place in sorted(left)]


def idle(claim: Claim, name: str, table: pd.DataFrame) -> list[str]:
    """The names of the limits of a claim that decide nothing: with any value, the same conditions are met."""

    def met(which: str, limit: Limit, value: float) -> list[bool] | None:
        after = attempt(_limited(claim, which, replace(limit, value=value)), name, table)
        return list(after.parts.values()) if isinstance(after, Reading) else None

    before = met("limit", claim.limit, claim.limit.value)
    limits = {"limit": claim.limit, **claim.also}.items()
    return [which for which, limit in limits if all(met(which, limit, value) == before for value in (-np.inf, np.inf))]


def broken(claim: Claim, name: str, table: pd.DataFrame) -> dict[str, str]:
    """Tables with lost rows on which a claim ends with an error instead of a sentence: which rows, and the error."""
    found = {}
    for lost, rest in losses(table):
        after = attempt(claim, name, rest)
        if not isinstance(after, Reading | NoInstance):
            found[lost] = f"{type(after).__name__}: {after}"
    return found


def losses(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """What is left of a table without any row, without the rows of one value, and with those of one value alone.

    Where several leave the same rows, the first stands for all.
    """
    yield "every row", table.iloc[:0]
    seen = {np.zeros(len(table), bool).tobytes(), np.ones(len(table), bool).tobytes()}
    for column, values in _names(table).items():
        for value in values[:3] if is_numeric_dtype(table[column]) else values:
            same = (table[column] == value).to_numpy()
            for lost, left in ((f"{column} = {value}", ~same), (f"all but {column} = {value}", same)):
                if left.tobytes() not in seen:
                    seen.add(left.tobytes())
                    yield lost, table[left]


def changes(claim: Claim, name: str, table: pd.DataFrame) -> Iterator[Change]:
    """Changes of the numbers that a claim reads, next to its limits first, and of words: in all rows of one value
    before those of two."""
    first = str(attempt(claim, name, table))

    def matters(column: str) -> bool:
        ways = (Change((), (column,), way).of(table) for way in ("shifted", "shuffled", *ENDS))
        return any(str(attempt(claim, name, changed)) != first for changed in ways)

    columns = sorted((c for c in table if is_numeric_dtype(table[c]) and matters(c)), key=lambda c: table[c].dtype.kind)
    values = [(column, value) for column, own in _names(table).items() for value in own]
    masks = {(column, value): (table[column] == value).to_numpy() for column, value in values}
    one = _distinct(masks, [(), *((value,) for value in values)])
    whole = tuple(column for column in columns if table[column].dtype.kind == "f")
    alone, together = [(column,) for column in columns], [whole] if len(whole) > 1 else []
    near = (*_beyond([claim.limit, *claim.also.values()]), *ENDS)
    ends = dict.fromkeys(float(end) for column in columns for end in (table[column].min(), table[column].max()))
    # What a claim is about may be one minus a number of the table: a correlation, of a distance.
    rest = (*(1.0 - number for number in near), *FAR, *ends, *(way for way in WAYS if way != "shifted"))
    words = [((column,), (word,)) for column, word in values if not is_numeric_dtype(table[column])]
    numbers = ((alone, near), (together, (*near, *FAR)))
    first_made = (*numbers, *(([column], word) for column, word in words))
    large = sum(_chosen(masks, rows).mean() >= LARGE for rows in one)
    for places in (one[:large], one[large:]):
        for rows in places:
            for changed, made in first_made:
                yield from _in_rows([rows], changed, made)
        yield from _in_rows(places, alone, rest)
    pairs = [pair for pair in itertools.combinations(values, 2) if pair[0][0] != pair[1][0]]
    two = [rows for rows in _distinct(masks, [*one, *pairs]) if rows not in one]
    for changed, made in (*numbers, (alone, rest)):
        yield from _in_rows(two, changed, made)


def _in_rows(places: list[tuple], columns: Sequence[tuple[str, ...]], made: tuple) -> Iterator[Change]:
    """Every change in every place, of all columns but those that name the place."""
    for rows, own, one_made in itertools.product(places, columns, made):
        if not {column for column, _ in rows} & set(own):
            yield Change(rows, own, one_made)


def _distinct(masks: dict[tuple, np.ndarray], places: list[tuple]) -> list[tuple]:
    """The places without those that name the same rows as an earlier one; places of many rows first.

    Args:
        masks: of a column and a value, the rows that have it.
    """
    named: dict[bytes, tuple] = {}
    for rows in places:
        chosen = _chosen(masks, rows)
        if chosen.any():
            named.setdefault(chosen.tobytes(), rows)
    return [named[chosen] for chosen in sorted(named, key=lambda chosen: -chosen.count(1))]


def _chosen(masks: dict[tuple, np.ndarray], rows: tuple) -> np.ndarray:
    chosen = np.ones(len(next(iter(masks.values()), [])), bool)
    for value in rows:
        chosen &= masks[value]
    return chosen


def slim(claim: Claim, name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table without rows that the claim does not read: what it says is the same to the last digit.

    Words are plain Python strings then, which compare several times faster.
    """
    table = table.astype({column: object for column in table if table[column].dtype == "str"})
    before = str(attempt(claim, name, table))
    measured = {column for column in table if table[column].dtype.kind == "f" and table[column].nunique() > FEW}
    for column in sorted(set(table) - measured, key=lambda column: (table[column].nunique(), column)):
        left = [sorted(table[column].dropna().unique())]
        while left:
            block = left.pop()
            needed = []
            for half in filter(None, (block[: len(block) // 2], block[len(block) // 2 :])):
                rest = table[~table[column].isin(half)]
                if not rest.empty and len(rest) < len(table) and str(attempt(claim, name, rest)) == before:
                    table = rest
                elif len(half) > 1:
                    needed.append(half)
            # A claim that needs both halves of many values seems to need all: one by one costs more than it saves.
            left += needed if len(needed) < 2 or len(block) <= FEW_NEEDED else []
    return table


def attempt(claim: Claim, name: str, table: pd.DataFrame) -> Reading | NoInstance | Exception:
    """The reading of a claim, or what it ended with."""
    try:
        with np.errstate(all="ignore"):
            return _reading(claim, name, table)
    except Exception as error:  # whatever a changed table makes it end with is its answer
        return error


def _reading(claim: Claim, name: str, table: pd.DataFrame) -> Reading:
    return claim.reading(Tables(Path("nowhere"), name, {f"figures/{name}.csv": table}))


def _limited(claim: Claim, which: str, limit: Limit) -> Claim:
    if which == "limit":
        return replace(claim, limit=limit)
    return replace(claim, also=claim.also | {which: limit})


def _beyond(limits: list[Limit]) -> list[float]:
    """Numbers next to the limits, on either side, and between two of them."""
    values = sorted({limit.value for limit in limits})
    next_to = [value + sign * BEYOND * max(1.0, abs(value)) for value in values for sign in (1, -1)]
    return next_to + [(one + other) / 2 for one, other in itertools.pairwise(values)]


def _names(table: pd.DataFrame) -> dict[str, list]:
    """The values of the columns that tell rows apart: words and numbers; of many numbers, the ends."""
    names = {}
    for column in table:
        values = list(table[column].dropna().unique())
        many = is_numeric_dtype(table[column]) and len(values) > FEW
        names[column] = [min(values), max(values)] if many else values
    return names
