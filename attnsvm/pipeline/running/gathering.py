"""From what was measured in blocks to one table, its rows in the same order for any number of blocks.

What a block measured stays packed as Parquet, in memory too, and is unpacked a column at a time. So the most that is
held is the table of all blocks, and a column more.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from attnsvm.analysis.measured import Measures
from attnsvm.data.cells import Cell
from attnsvm.system.errors import require

PLACE = "place"  # of a cell in the grid
COMPRESSION = "zstd"
SHAPE = ["n", "T", "d"]


@dataclass(frozen=True)
class Block:
    """What was measured in a block: tables, each as the bytes of a Parquet file (uint8).

    Attributes:
        cells: one row per cell: its place, n, T, d, variant, how many of its instances lie here, their least and
            greatest seed.
        instances, outcomes: those of `Measures`, with the place of the cell of every row.
        certificates: what the checker said, one row per batch of answers, see `answers.count`.
    """

    cells: np.ndarray
    instances: np.ndarray
    outcomes: np.ndarray
    certificates: np.ndarray

    def tables(self) -> dict[str, np.ndarray]:
        """All tables by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Gathered:
    """All blocks.

    Attributes:
        measures: of all instances, in seed order.
        cells: how many instances each cell of the grid has, and the first and last of their seeds.
        certificates: those of every block.
    """

    measures: Measures
    cells: pd.DataFrame
    certificates: list[pd.DataFrame]


def block(parts: list[tuple[int, Cell, Measures]], certificates: pd.DataFrame) -> Block:
    """A block of its parts: per cell its place in the grid, the part of it that lies in the block, and its measures."""
    own = [
        {PLACE: [place], "n": cell.n, "T": cell.T, "d": cell.d, "variant": cell.variant}
        | {"instances": len(cell.seeds), "first_seed": min(cell.seeds), "last_seed": max(cell.seeds)}
        for place, cell, _ in parts
    ]
    return Block(
        _packed([pd.DataFrame(columns) for columns in own]),
        _packed([one.instances.assign(**{PLACE: place}) for place, _, one in parts if len(one.instances)]),
        _packed([one.outcomes.assign(**{PLACE: place}) for place, _, one in parts]),
        _packed([certificates]),
    )


def gather(name: str, blocks: Iterable[Block], nothing: bool = False) -> Gathered:
    """Everything that was measured of experiment `name`.

    Args:
        nothing: whether there may be no row at all.

    Raises:
        UserError: no instance at all could be measured.
    """
    blocks = list(blocks)
    certificates = [_Rows([each.certificates]).frame() for each in blocks]
    cells = _count_cells(_Rows([each.cells for each in blocks]))
    ends = _in_seed_order(_Rows([each.outcomes for each in blocks]))
    measured = _in_seed_order(_Rows([each.instances for each in blocks]))
    became = ", ".join(f"{count} {outcome}" for outcome, count in ends.outcome.value_counts().items())
    require(
        nothing or len(measured) > 0,
        f"{name}: no instance could be measured ({became}); raise d, the steps or the number of instances",
    )
    return Gathered(Measures(measured, ends), cells, certificates)


def count_outcomes(measures: Measures) -> pd.DataFrame:
    """How many instances of each shape ended how."""
    return measures.outcomes.groupby([*SHAPE, "outcome"], as_index=False).agg(instances=("seed", "size"))


class _Rows:
    """The rows of packed tables, one below the other; a column that a table lacks is null there.

    An empty block has no columns, and neither has what is made of such alone.
    """

    def __init__(self, packed: list[np.ndarray]):
        files = [pq.ParquetFile(pa.BufferReader(table)) for table in packed]
        self.files = [file for file in files if file.metadata.num_columns]
        schemas = [file.schema_arrow for file in self.files]
        self.schema = pa.unify_schemas(schemas, promote_options="permissive") if schemas else pa.schema([])

    def column(self, name: str) -> pa.Array:
        kind, parts = self.schema.field(name).type, []
        for file in self.files:
            if name in file.schema_arrow.names:
                parts += file.read([name], use_threads=False)[name].cast(kind).chunks
            else:
                parts.append(pa.nulls(file.metadata.num_rows, kind))
        return pa.concat_arrays(parts)

    def frame(self, order: pa.Array | None = None, leave_out: tuple[str, ...] = ()) -> pd.DataFrame:
        """The rows in an order; a column at a time, so that none is held twice for long."""
        columns = {}
        for name in self.schema.names:
            if name not in leave_out:
                column = self.column(name)
                columns[name] = (column if order is None else column.take(order)).to_pandas()
        return pd.DataFrame(columns, copy=False)


def _count_cells(rows: _Rows) -> pd.DataFrame:
    groups = rows.frame().groupby([PLACE, *SHAPE, "variant"])
    added = groups.agg({"instances": "sum", "first_seed": "min", "last_seed": "max"})
    return added.reset_index().drop(columns=PLACE)


def _in_seed_order(rows: _Rows) -> pd.DataFrame:
    """The rows by shape and seed.

    Cells that differ in their variant alone have the same seeds: their place decides, and not the block.
    """
    names = rows.schema.names
    if not names:
        return pd.DataFrame()
    keys = [key for key in names if key in (*SHAPE, "seed") and "seed" in names] + [PLACE]
    by = pa.table({key: rows.column(key) for key in keys})
    order = pc.sort_indices(by, [(key, "ascending") for key in keys])  # stable
    del by
    return rows.frame(order, leave_out=(PLACE,))


def _packed(frames: list[pd.DataFrame]) -> np.ndarray:
    tables = [pa.Table.from_pandas(frame, preserve_index=False) for frame in frames]
    tables = [table for table in tables if table.num_columns]
    whole = pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})
    buffer = pa.BufferOutputStream()
    pq.write_table(whole, buffer, compression=COMPRESSION)
    return np.frombuffer(buffer.getvalue(), dtype=np.uint8)
