"""From what was measured in blocks to one table, its rows in the same order for any number of blocks.

Tables stay in Arrow's columns until all are one: the blocks of a large run take little more memory than their rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attnsvm.cells import Cell
from attnsvm.errors import require
from attnsvm.measured import Measures

PLACE = "place"  # of a cell in the grid


@dataclass(frozen=True)
class Block:
    """What was measured in a block.

    Attributes:
        cells: one row per instance: the place of its cell, n, T, d, variant, seed.
        instances, outcomes: those of `Measures`, with the place of the cell of every row.
        certificates: what the checker said, one row per batch of answers, see `answers.count`.
    """

    cells: pa.Table
    instances: pa.Table
    outcomes: pa.Table
    certificates: pa.Table

    def tables(self) -> dict[str, pa.Table]:
        """All tables by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def block(parts: list[tuple[int, Cell, Measures]], certificates: pd.DataFrame) -> Block:
    """A block of its parts: per cell its place in the grid, the part of it that lies in the block, and its measures."""
    own = [
        {PLACE: place, "n": cell.n, "T": cell.T, "d": cell.d, "variant": cell.variant, "seed": cell.seeds}
        for place, cell, _ in parts
    ]
    return Block(
        _arrow([pd.DataFrame(columns) for columns in own]),
        _arrow([one.instances.assign(**{PLACE: place}) for place, _, one in parts if len(one.instances)]),
        _arrow([one.outcomes.assign(**{PLACE: place}) for place, _, one in parts]),
        _arrow([certificates]),
    )


def gather(name: str, blocks: Iterable[Block]) -> Measures:
    """The measures of all instances of experiment `name`, in seed order.

    Raises:
        UserError: no instance at all could be measured.
    """
    blocks = list(blocks)
    ends = _in_seed_order([each.outcomes for each in blocks])
    measured = _in_seed_order([each.instances for each in blocks])
    became = ", ".join(f"{count} {outcome}" for outcome, count in ends.outcome.value_counts().items())
    require(
        len(measured) > 0,
        f"{name}: no instance could be measured ({became}); raise d, the steps or the number of instances",
    )
    return Measures(measured, ends)


def count_outcomes(measures: Measures) -> pd.DataFrame:
    """How many instances of each shape ended how."""
    return measures.outcomes.groupby(["n", "T", "d", "outcome"], as_index=False).agg(instances=("seed", "size"))


def count_cells(blocks: Iterable[Block]) -> pd.DataFrame:
    """How many instances each cell of the grid has, and the first and last of their seeds."""
    rows = _below([each.cells for each in blocks]).to_pandas()
    groups = rows.groupby([PLACE, "n", "T", "d", "variant"])["seed"]
    return groups.agg(instances="size", first_seed="min", last_seed="max").reset_index().drop(columns=PLACE)


def _in_seed_order(tables: list[pa.Table]) -> pd.DataFrame:
    """The rows of all tables by shape and seed.

    Cells that differ in their variant alone have the same seeds: their place decides, and not the block.
    """
    whole = _below(tables)
    if not whole.num_columns:
        return pd.DataFrame()
    keys = [key for key in whole.column_names if key in ("n", "T", "d", "seed") and "seed" in whole.column_names]
    order = pc.sort_indices(whole, [(key, "ascending") for key in (*keys, PLACE)])  # stable
    return whole.drop_columns([PLACE]).take(order).to_pandas()


def _arrow(frames: list[pd.DataFrame]) -> pa.Table:
    return _below([pa.Table.from_pandas(frame, preserve_index=False) for frame in frames])


def _below(tables: list[pa.Table]) -> pa.Table:
    """The tables one below the other; an empty block has no columns, and neither has what is made of such alone."""
    tables = [table for table in tables if table.num_columns]
    return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})
