"""Into which blocks an experiment is cut: ranges of seeds, so that more seeds are more blocks and no other ones.

A block is called after the seeds it holds of the largest cell of the grid: seeds-250-499. A card says how many blocks
its own number of seeds is cut into, and so how long a block is: with twice the seeds there are twice as many, and the
first are those that were there before. `--set-scatter` says how many there are at most, whatever their number of seeds.
"""

from collections.abc import Iterable
from typing import NamedTuple

from attnsvm.data.cells import COUNTED, Cell
from attnsvm.pipeline import ast_slice, cards, run_errors
from attnsvm.pipeline.configuration import outside, stage_settings
from attnsvm.pipeline.hashes.cache import recall
from attnsvm.pipeline.hashes.dependencies import digest, file_of
from attnsvm.system.errors import UserError, require

MEASURED_TOGETHER = 4  # so many blocks are measured by the job that gathers them: starting one for each takes longer
MOST = 10_000  # of one experiment; Snakemake plans some hundred jobs per second


class Part(NamedTuple):
    """A range of the seeds of one cell: `place` is that of the cell in its grid. A job is given it as a list."""

    place: int
    n: int
    T: int
    d: int
    variant: str
    first: int
    last: int

    @property
    def size(self) -> int:
        """How many seeds it has."""
        return self.last - self.first + 1


def grid(card: cards.Card, resolved: dict) -> list[Part]:
    """All cells of an experiment, each as one part.

    Args:
        resolved: the whole configuration.

    Raises:
        UserError: the settings do not go together, a file from outside is missing, or a cell has seeds that do not
            follow one another.
    """
    settings = stage_settings(card, resolved, "problems")

    def work_out() -> list[list]:
        return [list(part) for part in as_parts(_cells(card, settings))]  # what JSON gives back

    # The modules that know a grid import much, and every run of Snakemake asks.
    key = b"grid", digest(card.modules["problems"]).encode(), repr((settings, outside(card, resolved))).encode()
    return [Part(*part) for part in recall(key, work_out)]


def _cells(card: cards.Card, settings: dict) -> list[Cell]:
    """What the `cells` of a card's problems.py say; an error of its author's names the line."""
    module = card.modules["problems"]
    try:
        grid_cells = ast_slice.function(module, "cells")(settings)
    except UserError:
        raise
    except Exception as error:
        raise UserError(run_errors.mistake(error, run_errors.place_of_mistake(error) or file_of(module))) from error
    are = isinstance(grid_cells, list | tuple) and all(hasattr(cell, "label") for cell in grid_cells)
    require(are, f"{file_of(module)}: `cells` returned {type(grid_cells).__name__}: let it return a list of Cell")
    labels = [cell.label for cell in grid_cells]
    twice = next((label for label in labels if labels.count(label) > 1), "")
    require(not twice, f"{file_of(module)}: `cells`: {twice} occurs twice: give its cells a `variant` each")
    return list(grid_cells)


def cut(card: cards.Card, resolved: dict, most: int | None = None) -> dict[str, list[Part]]:
    """The blocks of an experiment by name, in the order of their seeds, each with its parts of cells.

    Of every cell a block holds the same share. Cells too small for a share in each block are dealt out whole.

    Args:
        resolved: the whole configuration.
        most: the number of blocks at most; None: as many as have the length that the card gives them.

    Raises:
        UserError: see `grid`; or there are more blocks than Snakemake can plan.
    """
    whole = grid(card, resolved)
    length = _shares(_largest(whole), most) if most else _shares(_own_number(card, resolved), card.blocks)
    count = _shares(_largest(whole), length)
    longer = f"make them longer: --set-scatter {card.name}=1000"
    require(
        count <= MOST, f"{card.name}: {count} blocks of {length} seeds, and Snakemake plans {MOST} at most; {longer}"
    )
    return divided(whole, length)


def divided(whole: list[Part], length: int) -> dict[str, list[Part]]:
    """Cells cut into blocks of `length` seeds of the largest of them."""
    largest = _largest(whole)
    count = _shares(largest, length)
    dealt: list[list[Part]] = [[] for _ in range(count)]
    for part in whole:
        share = _shares(length * part.size, largest)
        starts = range(part.first, part.last + 1, share)
        moved = 0 if len(starts) == count else part.place
        for k, start in enumerate(starts):
            last = min(start + share - 1, part.last)
            dealt[(k + moved) % count].append(part._replace(first=start, last=last))
    first, last = next((part.first, part.last) for part in whole if part.size == largest)
    return {
        f"seeds-{start}-{min(start + length - 1, last)}": sorted(parts)
        for start, parts in zip(range(first, last + 1, length), dealt, strict=True)
    }


def as_parts(grid_cells: Iterable[Cell]) -> list[Part]:
    """The cells of a grid, each as one part.

    Raises:
        UserError: a cell has seeds that do not follow one another.
    """
    parts = []
    for place, cell in enumerate(grid_cells):
        first, last = cell.seeds[0], cell.seeds[-1]
        together = len(cell.seeds) == 1 or cell.seeds == range(first, last + 1)
        require(together, f"problems.py: cells: the seeds of {cell.label} are no range, and blocks are ranges of seeds")
        parts.append(Part(place, cell.n, cell.T, cell.d, cell.variant, first, last))
    return parts


def check(scatter: Iterable[str]) -> None:
    """Refuse numbers of blocks that no run could use.

    Args:
        scatter: as typed, NAME=NUMBER of blocks at most.

    Raises:
        UserError: an unknown experiment, no block, or more than Snakemake can plan.
    """
    known = [card.name for card in cards.experiments(optional=True)]
    for entry in scatter:
        name, _, count = entry.partition("=")
        require(name in known, f"--set-scatter {entry}: {cards.unknown_name(name, known)}")
        require(int(count) >= 1, f"--set-scatter {entry}: at least 1 block is needed")
        require(
            int(count) <= MOST, f"--set-scatter {entry}: at most {MOST} blocks, Snakemake needs minutes to plan more"
        )


def _largest(whole: list[Part]) -> int:
    return max(part.size for part in whole)


def _own_number(card: cards.Card, resolved: dict) -> int:
    """The largest number of seeds of a cell with the card's own settings."""
    scale = "smoke" if resolved["scale"] == "smoke" else "value"
    counts = [
        setting.get(scale, setting["value"])
        for key, setting in card.settings["problems"].items()
        if key in COUNTED and key != "first_seed"
    ]
    return max((max(count) if isinstance(count, list) else count for count in counts), default=1)


def _shares(whole: int, length: int) -> int:
    """How many pieces of a length there are, the last perhaps a shorter one."""
    return -(-whole // length)
