"""paper/numbers.yaml: which numbers the text may ask for, and from which cells of which tables they are read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnsvm.pipeline import cards
from attnsvm.pipeline.log_format import meant
from attnsvm.publish.paper.manuscript import DECLARED, ROOT
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import yaml_of

if TYPE_CHECKING:
    import pandas as pd

TAKEN = ("min", "max", "median", "mean", "sum", "count", "distinct")


@dataclass(frozen=True)
class Declared:
    """A number that the text may ask for.

    Attributes:
        key: its name.
        figure: whose csv it is read from.
        column: the column it stands in.
        where: {column: value} of the rows it is read from.
        last: a column, of whose largest value alone the rows are; "" for all.
        above: a number, above which the column is in the rows taken; None for all.
        take: what is taken of several rows, see `TAKEN`; "" where there is one.
        interval: the columns of its lower and upper end; () where it has none.
        unit: said behind it; "" where it has none.
        digits: significant digits shown.
    """

    key: str
    figure: str
    column: str
    where: dict[str, Any] = field(default_factory=dict)
    last: str = ""
    above: float | None = None
    take: str = ""
    interval: Sequence[str] = ()
    unit: str = ""
    digits: int = 2

    def __str__(self) -> str:
        return f"{DECLARED}: {self.key}"

    @property
    def table(self) -> str:
        return f"figures/{self.figure}.csv"

    def source(self) -> str:
        """Where the number comes from, in a line."""
        of = [f"{name} = {value}" for name, value in self.where.items()]
        of += [f"last {self.last}"] if self.last else []
        of += [f"{self.column} > {self.above:g}"] if self.above is not None else []
        return f"{self.table}, {self.take + ' of ' if self.take else ''}{self.column}" + (
            f" where {', '.join(of)}" if of else ""
        )

    def read(self, table: "pd.DataFrame") -> dict[str, float | None]:
        """{"value", "low", "high"}; None for what there is not.

        Raises:
            UserError: the table has no such column, or more than one row.
            LookupError: it has no such row.
        """
        from attnsvm.audit.rows import LAST, NoInstance, chosen, single

        for name in (*self.where, self.column, *self.interval, *filter(None, [self.last])):
            require(name in table, f"{self}: {self.table} has no column {name!r}: {meant(name, table.columns)}")
        try:
            (rows,) = chosen(table, self.where | ({self.last: LAST} if self.last else {}))
        except NoInstance as nothing:
            raise LookupError(f"{self}: {self.source()}: there is no such row") from nothing
        if self.above is not None:
            rows = rows[rows[self.column] > self.above]
        if self.take:
            method = "nunique" if self.take == "distinct" else self.take
            return {"value": float(getattr(rows[self.column], method)()), "low": None, "high": None}
        require(
            len(rows) == 1, f"{self}: {self.source()}: {len(rows)} rows, expected one: say `take` or more of `where`"
        )
        row = single(rows)
        low, high = (float(row[name]) for name in self.interval) if self.interval else (None, None)
        return {"value": float(row[self.column]), "low": low, "high": high}


def read(root: Path = ROOT) -> dict[str, Declared]:
    """Every declared number by its key.

    Raises:
        UserError: one is not understood; the sentence names its key.
    """
    return parsed((root / DECLARED).read_text("utf-8"))


def parsed(text: str) -> dict[str, Declared]:
    """The same from the text of the file."""
    figures = [card.name for card in cards.figures(optional=True)]
    found = {}
    for key, one in (yaml_of(text, DECLARED) or {}).items():
        at = f"{DECLARED}: {key}"
        require(isinstance(one, dict), f"{at}: expected {{figure: ..., column: ..., ...}}")
        figure = one.get("figure")
        require(figure in figures, f"{at}: there is no figure {figure!r}: {meant(str(figure), figures)}")
        require(one.get("take", "max") in TAKEN, f"{at}: take one of {', '.join(TAKEN)}")
        try:
            found[key] = Declared(key=key, **one)
        except TypeError as error:
            known = ", ".join(name for name in Declared.__dataclass_fields__ if name != "key")
            raise UserError(f"{at}: the keys of a number are {known} ({error})") from error
    return found
