"""Numbers of a figure's table, and what is asked of them: a claim as a declaration.

end = number(step=LAST, missing="{quantity} of {run}")
near = end(run="flow", quantity="distance")
near.must("≤ 0.001", "as `KQ_joint`", "flow: {value:.2g}")
near.below(end(run="joint", quantity="distance"), "flow is nearer")
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from attnsvm.audit.numbers import Estimate, Limit, bounded, goes_to
from attnsvm.audit.rows import EACH as EACH
from attnsvm.audit.rows import FIRST as FIRST
from attnsvm.audit.rows import LAST as LAST
from attnsvm.audit.rows import LEAST as LEAST
from attnsvm.audit.rows import MOST as MOST
from attnsvm.audit.rows import TENTH as TENTH
from attnsvm.audit.rows import NoInstance as NoInstance
from attnsvm.audit.rows import Those as Those
from attnsvm.audit.rows import chosen, single
from attnsvm.system.errors import UserError, require

STEP = "step"  # the column of the steps of a limit
DECADE = 10.0  # the last part of a run, from a tenth of its steps on, on which a number is seen to move


class Entry(NamedTuple):
    """A number and the row that it stands in, whose columns may be named in words."""

    number: Estimate
    row: Mapping[str, object]


@dataclass(frozen=True)
class Number:
    """Numbers of a table: one for every row that a query leaves.

    Attributes:
        where: the query, see `attnsvm.audit.rows.chosen`.
        column: of the number.
        alone: whether it is read without its interval, the columns low and high: as one from it to itself.
        missing: what a run without such a row has not, for `NoInstance`; names of `where` in braces.
        text: what the number is, for readers of the audit: "1 − correlation with the nuclear solution".
    """

    where: Mapping[str, object]
    column: str = "value"
    alone: bool = False
    missing: str = ""
    text: str = ""

    def __call__(self, missing: str | None = None, text: str | None = None, **where) -> "Number":
        """The same with further columns, or other values; `missing` and `text` as of `Number`."""
        missing, text = self.missing if missing is None else missing, self.text if text is None else text
        return replace(self, where={**self.where, **where}, missing=missing, text=text)

    def of(self, column: str, text: str = "") -> "Number":
        """The number of another column, which has no interval; `text` as of `Number`."""
        return replace(self, column=column, alone=True, text=text)

    @property
    def noun(self) -> str:
        """What the number is: its text, or its names in the table."""
        named = self.where.get("quantity") if self.column == "value" else self.column
        several = named if isinstance(named, tuple) else (named or self.column,)
        return self.text or " and ".join(map(str, several))

    def without_interval(self) -> "Number":
        return replace(self, alone=True)

    def at(self, step: float) -> "Number":
        """The same after another step, where it is read after the last."""
        return replace(self, where={**self.where, STEP: step}) if self.where.get(STEP) in (LAST, MOST) else self

    def read(self, table: pd.DataFrame) -> list[Entry]:
        """The numbers, in the order in which their values are named; of `EACH`, in that of the table.

        Raises:
            NoInstance: for some of the values there is no row, or its number is missing.
            KeyError: there is no such column.
            ValueError: several rows have the same values.
        """
        return [self._entry(single(rows)) for rows in chosen(table, self.where, self.missing, self.column)]

    def estimate(self, table: pd.DataFrame) -> Estimate:
        """The one number that there is, for a claim that computes with it; raises as `read` does."""
        (entry,) = self.read(table)
        return entry.number

    def _entry(self, row: pd.Series) -> Entry:
        value = row[self.column]
        if self.alone:
            count = row.get("instances", float("nan"))
            return Entry(Estimate(value, value, value, count), row.to_dict())
        return Entry(bounded(value, row["low"], row["high"], row["instances"]), row.to_dict())

    def must(
        self,
        wanted: str,
        why: str,
        words: str,
        /,
        around: float | None = None,
        names: Mapping[Any, str] | None = None,
        **beside: "Number | Derived",
    ) -> "Condition":
        """The condition that every number meets a limit, an estimate with the whole of its interval.

        Args:
            wanted: words that end with a sign and the limit: "each ≥ 0.95".
            why: the reason for the limit.
            words: of a part of the claim, for each number: columns of its row in braces, {value}, {low}, {high},
                {instances} and {limit}; numbers with the same words are one part.
            around: the limit is asked of the distance from this, of the farther end.
            names: what the words say for a value of a column: {"fro": "Frobenius"}.
            beside: further numbers that the words name: "{other.value:.2g}".

        Raises:
            ValueError: `wanted` does not end with a sign and a number.
        """
        text, _, value = wanted.rpartition(" ")
        try:
            limit = Limit(float(value), f"{text} {{}}", why)
        except (ValueError, UserError) as error:
            raise ValueError(f"{wanted!r} is no limit: write words, a sign and a number: 'each ≥ 0.95'") from error
        return Condition(self, words, limit, around=around, names=names or {}, beside=beside)

    def misses(
        self, words: str, /, names: Mapping[Any, str] | None = None, **beside: "Number | Derived"
    ) -> "Condition":
        """The condition that every number, with the whole of its interval, lies beyond the limit of the claim."""
        return Condition(self, words, beyond=True, names=names or {}, beside=beside)

    def below(
        self,
        other: "Number | Derived",
        words: str,
        /,
        names: Mapping[Any, str] | None = None,
        **beside: "Number | Derived",
    ) -> "Condition":
        """The condition that every number lies below another, their intervals apart."""
        return Condition(self, words, other=other, sign=operator.lt, names=names or {}, beside=beside)

    def above(
        self,
        other: "Number | Derived",
        words: str,
        /,
        names: Mapping[Any, str] | None = None,
        **beside: "Number | Derived",
    ) -> "Condition":
        """The condition that every number lies above another, their intervals apart."""
        return Condition(self, words, other=other, sign=operator.gt, names=names or {}, beside=beside)

    def __truediv__(self, other: "Number | Derived") -> "Derived":
        """The ratio of two positive numbers; the ends are as far apart as both intervals allow."""
        return Derived(self, other, _ratio)

    def __sub__(self, other: "Number | Derived") -> "Derived":
        """The difference; the ends are as far apart as both intervals allow."""
        return Derived(self, other, _difference)


@dataclass(frozen=True)
class Derived:
    """A number made of two: of each read by the first, with that read by the second, the same one or its like."""

    first: "Number | Derived"
    second: "Number | Derived"
    made: Callable[[Estimate, Estimate], Estimate]

    def read(self, table: pd.DataFrame) -> list[Entry]:
        """See `Number.read`."""
        return [
            Entry(self.made(one.number, other.number), one.row)
            for one, other in _paired(self.first.read(table), self.second.read(table))
        ]

    @property
    def alone(self) -> bool:
        return self.first.alone and self.second.alone

    @property
    def sign(self) -> str:
        """What stands between the two in words."""
        return "over" if self.made is _ratio else "minus"

    def at(self, step: float) -> "Derived":
        """See `Number.at`."""
        return replace(self, first=self.first.at(step), second=self.second.at(step))

    must, misses, below, above = Number.must, Number.misses, Number.below, Number.above
    __truediv__, __sub__ = Number.__truediv__, Number.__sub__


def number(**where) -> Number:
    """Numbers of the experiment's table, see `Number`; `column`, `alone`, `missing` and `text` are its attributes."""
    attributes = {name: where.pop(name) for name in ("column", "alone", "missing", "text") if name in where}
    return Number(where, **attributes)


@dataclass(frozen=True)
class Condition:
    """What is asked of a number, and the words of the audit for it; made by `must` and its like of a number.

    Attributes:
        number: the numbers; each must meet the condition.
        words: of a part, see `Number.must`.
        limit: what it is compared with; None: with `other`, or with the claim's main limit.
        other: a number that it must lie below or above, by `sign`, intervals apart.
        beyond: whether it must lie beyond the claim's main limit.
        around, names, beside: see `Number.must`.
    """

    number: Number | Derived
    words: str
    limit: Limit | None = None
    other: Number | Derived | None = None
    sign: Callable[[float, float], bool] | None = None
    beyond: bool = False
    around: float | None = None
    names: Mapping[Any, str] = field(default_factory=dict)
    beside: Mapping[str, Number | Derived] = field(default_factory=dict)

    def __post_init__(self):
        one = [self.limit is not None, self.other is not None, self.beyond].count(True) == 1
        require(one, f"{self.words!r}: a limit or another number")

    def parts(self, table: pd.DataFrame, limit: Limit | None = None) -> tuple[list[Estimate], dict[str, bool]]:
        """The numbers, and by words whether they are met.

        Args:
            limit: another than the condition's own; the main one of the claim where it must lie beyond that.
        """
        limit = limit or self.limit
        entries = self.number.read(table)
        words = self._worded(table, entries, limit)
        others = self.other.read(table) if self.other else entries
        met: dict[str, bool] = {}
        for part, (one, other) in zip(words, _paired(entries, others), strict=True):
            met[part] = met.get(part, True) and self._met(one.number, other.number, limit)
        return [one.number for one in entries], met

    def moving(self, table: pd.DataFrame, limit: Limit | None = None) -> set[str]:
        """The parts, by words, of which every number that is not met still goes to its limit, see `numbers.goes_to`.

        Args:
            limit: as of `parts`.
        """
        limit = limit or self.limit
        if limit is None or self.beyond or STEP not in table:
            return set()
        entries = self.number.read(table)
        left = [place for place, one in enumerate(entries) if not self._met(one.number, one.number, limit)]
        at = cache(partial(self._at, table))
        goes = {place: self._goes(table, place, entries[place], limit, at) for place in left}
        if not any(goes.values()):
            return set()
        words = self._worded(table, entries, limit)
        return {words[place] for place in left} - {words[place] for place, going in goes.items() if not going}

    def _goes(self, table: pd.DataFrame, place: int, last: Entry, limit: Limit, at: Callable) -> bool:
        """Whether the number in a place of those read goes to a limit over its last decade of steps; `at`: `_at`."""
        end: Any = last.row.get(STEP)
        if end is None or self.number.at(end) is self.number:  # no number after the last step
            return False
        steps = np.unique(table[STEP][(table[STEP] <= end) & (table[STEP] >= end / DECADE)].dropna())
        there = ((step, numbers[place].value) for step in steps if len(numbers := at(step)) > place)
        path = [(step, value if self.around is None else abs(value - self.around)) for step, value in there]
        return goes_to(limit.value, limit.falls, *np.array(path).reshape(-1, 2).T)

    def _at(self, table: pd.DataFrame, step: float) -> list[Estimate]:
        """The numbers after a step; none where one of them is missing."""
        try:
            return [one.number for one in self.number.at(step).read(table)]
        except NoInstance:
            return []

    def _worded(self, table: pd.DataFrame, entries: list[Entry], limit: Limit | None) -> list[str]:
        """Of each of the numbers the words of its part."""
        beside = {name: one.read(table) for name, one in self.beside.items()}
        words = []
        for place, one in enumerate(entries):
            named = {name: _like(place, others, entries).number for name, others in beside.items()}
            row = {column: self.names.get(value) or value for column, value in one.row.items()}
            limited = {"limit": limit.value} if limit else {}
            words.append(self.words.format(**{**row, **one.number._asdict(), **limited, **named}))
        return words

    def worst(self, numbers: list[Estimate], limit: Limit) -> Estimate:
        """The number that is nearest to a limit, or farthest beyond it."""
        if (around := self.around) is not None:
            return max(numbers, key=lambda number: number.off(around))
        return limit.worst(numbers)

    def _met(self, one: Estimate, other: Estimate, limit: Limit | None) -> bool:
        if limit is None:
            return bool(one.high < other.low if self.sign is operator.lt else one.low > other.high)
        if self.beyond:
            return limit.against(one)
        if self.around is not None:
            return limit(one.off(self.around))
        return limit(one)


def _like(place: int, others: list[Entry], entries: list[Entry]) -> Entry:
    return others[place] if len(others) == len(entries) else others[0]


def _paired(entries: list[Entry], others: list[Entry]) -> list[tuple[Entry, Entry]]:
    if len(others) not in (1, len(entries)):
        raise ValueError(f"{len(entries)} numbers beside {len(others)}")
    return [(one, _like(place, others, entries)) for place, one in enumerate(entries)]


def _ratio(one: Estimate, other: Estimate) -> Estimate:
    return Estimate(one.value / other.value, one.low / other.high, one.high / other.low, one.instances)


def _difference(one: Estimate, other: Estimate) -> Estimate:
    return Estimate(one.value - other.value, one.low - other.high, one.high - other.low, one.instances)
