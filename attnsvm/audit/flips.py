"""What a claim is tried with: a made-up table on which it holds, and the changes of that table that it must notice.

An experiment with claims.py has flips.py: `table()`, which may be a list of rows, and FLIPS and EMPTY by the key of a
claim.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from attnsvm.audit.reading import IN_PART


class Flip(NamedTuple):
    """A changed number that changes the verdict.

    Attributes:
        rows: where, a query of the table.
        column: of the number.
        value: what it becomes there.
        verdict: what the verdict becomes.
        before: the verdict on the table as it is; "": the claim holds, or, if it is about print, print differs.
    """

    rows: str
    column: str
    value: float
    verdict: str = IN_PART
    before: str = ""

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table with the changed number."""
        changed = table.astype({self.column: float})
        changed.loc[table.query(self.rows).index, self.column] = self.value
        return changed


class Empty(NamedTuple):
    """What a run may leave of the table, so that a claim has no instance.

    Attributes:
        left: a query for the rows that are left, or a function of the table.
        missing: what the run then has not, in the words of the audit.
    """

    left: str | Callable[[pd.DataFrame], pd.DataFrame]
    missing: str

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """What is left of the table."""
        return table.query(self.left) if isinstance(self.left, str) else self.left(table)


def quantities(values: Mapping[str, float], of: str = "value", **columns) -> list[dict]:
    """A row for every quantity, with its number in the column `of`; `columns`: the same in every row."""
    return [columns | {"quantity": quantity, of: value} for quantity, value in values.items()]


def spread(
    rows: Iterable | pd.DataFrame, by: float = 0.0, share: float = 0.0, of: str = "value", **columns
) -> pd.DataFrame:
    """Rows with an interval around their numbers.

    Args:
        by, share: half of its width, absolute and as a share of the number.
        of: the column of the numbers; `low` and `high` are added.
        columns: further columns, the same in every row.
    """
    table = pd.DataFrame(rows).assign(**columns)
    return table.assign(low=table[of] * (1 - share) - by, high=table[of] * (1 + share) + by)
