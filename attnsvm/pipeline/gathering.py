"""From the measures of cells in blocks to one table, its rows in the same order for any number of blocks."""

from dataclasses import dataclass

import pandas as pd

from attnsvm.cells import Cell
from attnsvm.errors import require
from attnsvm.measured import Measures


@dataclass(frozen=True)
class Part:
    """What was measured on the part of a cell that lies in one block.

    Attributes:
        place: of the cell in the grid.
        cell: with the seeds of this part.
        certificates: what the checker said of its solves, see `answers.count`.
    """

    place: int
    cell: Cell
    measures: Measures
    certificates: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """All of it as tables by name, for a file."""
        own = {"place": self.place, "n": self.cell.n, "T": self.cell.T, "d": self.cell.d, "variant": self.cell.variant}
        return {
            "cell": pd.DataFrame(own | {"seed": self.cell.seeds}),
            "instances": self.measures.instances,
            "outcomes": self.measures.outcomes,
            "certificates": self.certificates,
        }

    @classmethod
    def of(cls, tables: dict[str, pd.DataFrame]) -> "Part":
        """The part that `tables` was made from."""
        place, n, T, d, variant = next(tables["cell"].drop(columns="seed").itertuples(index=False))
        cell = Cell(n, T, d, tuple(tables["cell"]["seed"].tolist()), variant)
        return cls(place, cell, Measures(tables["instances"], tables["outcomes"]), tables["certificates"])


def gather(name: str, parts: list[tuple[int, Measures]]) -> Measures:
    """The measures of all instances of experiment `name`, in seed order.

    Args:
        parts: per cell and block, the cell's place in the grid and what was measured.

    Raises:
        UserError: no instance at all could be measured.
    """
    # Cells that differ in their variant alone have the same seeds: the blocks must not decide which comes first.
    ordered = [part for _, part in sorted(parts, key=lambda placed: placed[0])]
    ends = pd.concat([part.outcomes for part in ordered], ignore_index=True)
    measured = [part.instances for part in ordered if len(part.instances)]
    became = ", ".join(f"{count} {outcome}" for outcome, count in ends.outcome.value_counts().items())
    require(
        bool(measured),
        f"{name}: no instance could be measured ({became}); raise d, the steps or the number of instances",
    )
    return Measures(_in_seed_order(pd.concat(measured, ignore_index=True)), _in_seed_order(ends))


def count_outcomes(measures: Measures) -> pd.DataFrame:
    """How many instances of each shape ended how."""
    return measures.outcomes.groupby(["n", "T", "d", "outcome"], as_index=False).agg(instances=("seed", "size"))


def count_cells(parts: list[tuple[int, Cell]]) -> pd.DataFrame:
    """How many instances each cell of the grid has, and the first and last of their seeds.

    Args:
        parts: per cell and block, the cell's place in the grid and the part of it that lies in the block.
    """
    keys = ["place", "n", "T", "d", "variant"]
    rows = [(place, cell.n, cell.T, cell.d, cell.variant, seed) for place, cell in parts for seed in cell.seeds]
    groups = pd.DataFrame(rows, columns=[*keys, "seed"]).groupby(keys)["seed"]
    return groups.agg(instances="size", first_seed="min", last_seed="max").reset_index().drop(columns="place")


def _in_seed_order(frame: pd.DataFrame) -> pd.DataFrame:
    if "seed" not in frame:
        return frame
    keys = [key for key in frame.columns if key in ("n", "T", "d", "seed")]
    return frame.sort_values(keys, kind="stable", ignore_index=True)
