"""An experiment run through its stages: with files, at any size and in any number of blocks, or one cell in memory."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from attnsvm.data.cells import Cell
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import block_settings, resolve, stage_settings
from attnsvm.pipeline.running import stages, tables
from attnsvm.system.store import load_cells, load_csv, load_table

IN_THREE = partial(blocks.cut, most=3)
OUTPUTS = ("table", "instances", "outcomes", "certificates", "cells")


class Quiet:
    """Progress that nobody watches."""

    def expect(self, count): ...
    def __call__(self, done): ...


def smoke_settings(name: str, **changes: dict) -> dict[str, dict]:
    """The settings of every stage in a smoke run; `changes`: by stage, those that differ."""
    card, config = cards.read(name), resolve({"scale": "smoke"})
    return {stage: stage_settings(card, config, stage) | changes.get(stage, {}) for stage in card.stages}


def one_cell(name: str, settings: dict[str, dict], cell: Cell | None = None) -> tuple:
    """(cell, problems, trained, solved, measured) of a cell; None: the only one that the settings give."""
    problems, descent, svm, measures = (cards.read(name).module(stage) for stage in cards.STAGES)
    if cell is None:
        (cell,) = problems.cells(settings["problems"])
    drawn = problems.problems(cell, settings["problems"])
    trained = descent.descent(drawn, settings["descent"], Quiet())
    solved = svm.svm(drawn, trained, settings["svm"])
    return cell, drawn, trained, solved, measures.measures(cell, drawn, trained, solved, settings["measures"])


def one_apart(card: cards.Card, config: dict) -> dict[str, list[blocks.Part]]:
    """Two blocks: of every cell its first seed, and its other ones."""
    whole = blocks.grid(card, config)
    first = [part._replace(last=part.first) for part in whole]
    others = [part._replace(first=part.first + 1) for part in whole if part.size > 1]
    return {name: parts for name, parts in (("first", first), ("others", others)) if parts}


class Run:
    """All stages of an experiment.

    Args:
        given: by stage, the settings that differ from the card's.
        cut: the blocks, from the card and the configuration; three of them by default.
        scale: of the card's settings.

    Attributes:
        settings: of every stage.
        cells: (label, problems, trained, solved) per block and cell, as nested dicts of arrays.
        files: by block, the file of every stage before the measures.
        paths: of the files that the measures stage wrote.
        table, instances, outcomes, certificates, grid: what is in them; `grid` has one row per cell.
    """

    def __init__(
        self,
        name: str,
        given: dict,
        folder: Path,
        cut: Callable[[cards.Card, dict], dict[str, list[blocks.Part]]] = IN_THREE,
        scale: str = "paper",
    ):
        card, config = cards.read(name), resolve({"scale": scale, "experiments": {name: given}})
        self.card, self.settings = card, {stage: stage_settings(card, config, stage) for stage in cards.STAGES}
        files = []
        for block, parts in cut(card, config).items():
            inputs: dict[str, str] = {}
            for stage in card.stages[:-1]:
                path, own = str(folder / block / f"{stage}.npz"), block_settings(card, config, stage)
                getattr(stages, stage)(name, own, parts if stage == "problems" else dict(inputs), path)
                inputs[stage] = path
            files.append(inputs)
        self.files = files
        self.paths = {key: str(folder / key) for key in OUTPUTS}
        tables.measures(name, self.settings["measures"], files, self.paths)
        self.table, self.instances = (load_table(self.paths[key]) for key in OUTPUTS[:2])
        self.outcomes, self.certificates, self.grid = (load_csv(self.paths[key]) for key in OUTPUTS[2:])
        self.cells = []
        for inputs in files:
            made = {stage: load_cells(path) for stage, path in inputs.items()}
            for label, drawn in made["problems"].items():
                later = [made[stage].get(label, {}) if stage in made else {} for stage in ("descent", "svm")]
                self.cells.append((label, drawn["problems"], *later))

    def each(self) -> Iterator[tuple]:
        """(cell label, place s in the batch, problems, trained, solved) of every instance."""
        for label, problems, trained, solved in self.cells:
            yield from ((label, s, problems, trained, solved) for s in range(len(problems["seeds"])))

    def outcomes_per_instance(self) -> float:
        return self.outcomes.instances.sum() / self.grid.instances.sum()
