"""From blocks to one table: in the same order however the instances were cut."""

import random

import pandas as pd
import pytest

from attnsvm.cells import Cell, block_cells
from attnsvm.errors import UserError
from attnsvm.measured import Measures, outcomes
from attnsvm.pipeline.gathering import count_cells, count_outcomes, gather

CELLS = [Cell(2, 3, 4, tuple(range(5)), "plain"), Cell(2, 3, 4, tuple(range(5)), "other"), Cell(3, 3, 4, (7, 8, 9))]


def measured(cell):
    rows = pd.DataFrame({"n": cell.n, "d": cell.d, "seed": cell.seeds, "variant": cell.variant})
    ends = ["measured" if seed % 2 else "infeasible" for seed in cell.seeds]
    return Measures(rows, outcomes(cell, cell.seeds, ends))


def parts(blocks):
    return [(place, cell) for k in range(1, blocks + 1) for place, cell in block_cells(CELLS, f"{k}-of-{blocks}")]


@pytest.mark.parametrize("blocks", [2, 3, 13, 20])
def test_any_number_of_blocks_gives_the_same_tables(blocks):
    whole = gather("x", [(place, measured(cell)) for place, cell in parts(1)])
    cut = parts(blocks)
    random.Random(0).shuffle(cut)
    cut.sort(key=lambda part: part[1].seeds[0])  # a block's cells come in seed order, the blocks in any
    other = gather("x", [(place, measured(cell)) for place, cell in cut])
    pd.testing.assert_frame_equal(whole.instances, other.instances)
    pd.testing.assert_frame_equal(whole.outcomes, other.outcomes)
    pd.testing.assert_frame_equal(count_cells(parts(1)), count_cells(cut))


def test_cells_and_outcomes_are_counted():
    cells = count_cells(parts(3))
    assert cells.columns.tolist() == ["n", "T", "d", "variant", "instances", "first_seed", "last_seed"]
    assert cells[["variant", "instances", "first_seed", "last_seed"]].to_numpy().tolist() == [
        ["plain", 5, 0, 4],
        ["other", 5, 0, 4],
        ["", 3, 7, 9],
    ]
    ends = count_outcomes(gather("x", [(place, measured(cell)) for place, cell in parts(3)]))
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
        gather("x", [(place, none(cell)) for place, cell in parts(1)])
