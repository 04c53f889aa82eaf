"""From blocks to one table: in the same order however the instances were cut."""

import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.data.cells import Cell, of_parts
from attnsvm.pipeline import blocks
from attnsvm.pipeline.running.gathering import _Rows, block, count_outcomes, gather
from attnsvm.system.errors import UserError

CELLS = [Cell(2, 3, 4, range(5), "plain"), Cell(2, 3, 4, range(5), "other"), Cell(3, 3, 4, range(7, 10))]


def measured(cell):
    rows = pd.DataFrame({"n": cell.n, "d": cell.d, "seed": cell.seeds, "variant": cell.variant})
    ends = ["measured" if seed % 2 else "infeasible" for seed in cell.seeds]
    return Measures(rows, outcomes(cell, cell.seeds, ends))


NO_PROOFS = pd.DataFrame({"solve": []})


def measured_blocks(count, measure=measured):
    """The blocks, one after the other."""
    cut = list(blocks.divided(blocks.as_parts(CELLS), -(-5 // count)).values())
    cut += [[]] * (count - len(cut))
    return [block([(place, cell, measure(cell)) for place, cell in of_parts(parts)], NO_PROOFS) for parts in cut]


@pytest.mark.parametrize("count", [2, 3, 5, 20])
def test_any_number_of_blocks_gives_the_same_tables(count):
    whole, cut = measured_blocks(1), measured_blocks(count)
    random.Random(0).shuffle(cut)
    one, other = gather("x", whole), gather("x", cut)
    pd.testing.assert_frame_equal(one.measures.instances, other.measures.instances)
    pd.testing.assert_frame_equal(one.measures.outcomes, other.measures.outcomes)
    pd.testing.assert_frame_equal(one.cells, other.cells)
    assert one.measures.instances.seed.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 7, 8, 9]
    assert one.measures.instances.variant.tolist() == ["plain", "other"] * 5 + [""] * 3


def test_cells_and_outcomes_are_counted():
    cells = gather("x", measured_blocks(3)).cells
    assert cells.columns.tolist() == ["n", "T", "d", "variant", "instances", "first_seed", "last_seed"]
    assert cells[["variant", "instances", "first_seed", "last_seed"]].to_numpy().tolist() == [
        ["plain", 5, 0, 4],
        ["other", 5, 0, 4],
        ["", 3, 7, 9],
    ]
    ends = count_outcomes(gather("x", measured_blocks(3)).measures)
    assert ends.to_numpy().tolist() == [
        [2, 3, 4, "infeasible", 6],
        [2, 3, 4, "measured", 4],
        [3, 3, 4, "infeasible", 1],
        [3, 3, 4, "measured", 2],
    ]


def test_nothing_measured_is_said_with_what_became_of_the_instances():
    def none(cell):
        one = measured(cell)
        return Measures(one.instances.iloc[:0], one.outcomes)

    with pytest.raises(UserError, match=r"^x: no instance could be measured \(7 infeasible, 6 measured\); raise d"):
        gather("x", measured_blocks(1, none))


def test_a_column_that_a_block_lacks_is_empty_in_its_rows():
    def more(cell):
        one = measured(cell)
        return Measures(one.instances.assign(value=one.instances.seed / 2), one.outcomes) if cell.n == 3 else one

    gathered = gather("x", measured_blocks(3, more)).measures.instances
    assert gathered.value.isna().tolist() == [True] * 10 + [False] * 3
    pd.testing.assert_frame_equal(gathered, gather("x", measured_blocks(1, more)).measures.instances)


def test_gathering_holds_the_table_once(monkeypatch):
    """And a column or two more; all blocks side by side beside it would be twice the table."""
    rows, columns = 2000, [f"c{k}" for k in range(20)]

    def much(cell):
        one = measured(cell)
        seeds = np.repeat(cell.seeds, rows)
        values = np.random.default_rng(seeds[0]).normal(size=(len(seeds), len(columns)))
        wide = pd.DataFrame({"n": cell.n, "d": cell.d, "seed": seeds}).join(pd.DataFrame(values, columns=columns))
        return Measures(wide, one.outcomes)

    held, read = [], _Rows.column
    monkeypatch.setattr(_Rows, "column", lambda *which: (read(*which), held.append(pa.total_allocated_bytes()))[0])
    cut, before = measured_blocks(13, much), pa.total_allocated_bytes()
    table = gather("x", cut).measures.instances
    assert len(table) == 13 * rows
    assert max(held) - before < 1.3 * table.memory_usage().sum()
