"""One function per stage: read the stage's input files, run the experiment's module, write the output file.

A block file holds, per cell, what its stage made; that of `problems` also says which cell it is. Pandas is imported by
the stages that make tables: the others would wait half a second for it. No file is written of what a job's hash does
not cover (`modules.covered`).
"""

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.pipeline import answers, blocks, cards, elsewhere, modules
from attnsvm.pipeline.modules import covered
from attnsvm.pipeline.running import arithmetic, records
from attnsvm.pipeline.running.reporting import Progress
from attnsvm.svm import audit_log
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import (
    Cells,
    load_cells,
    load_csv,
    load_table,
    save_bytes,
    save_cells,
    save_csv,
    save_table,
)
from attnsvm.training.threads import allow


def problems(name: str, settings: dict, parts: list[list], output: str) -> None:
    """Draw the problems of a block, which is made of `parts` of the grid's cells."""
    drawn, redrawn = {}, elsewhere.distribution(name)
    if redrawn:
        settings = {key: value for key, value in settings.items() if key != elsewhere.DISTRIBUTION}
    with _module(name, "problems") as module:
        for place, cell in blocks.cells(parts):
            where = {"place": np.array(place)}
            where |= {key: np.array(getattr(cell, key)) for key in ("n", "T", "d", "variant")}
            batch = _returned(module, "problems", Problems, cell, settings)
            arrays = (importlib.import_module(redrawn).redrawn(batch) if redrawn else batch).arrays()
            _require_finite(f"{name}: problems.py: {cell.label}", arrays, "draw no such instance")
            drawn[cell.label] = {"cell": where, "problems": arrays}
    save_cells(output, drawn)


def descent(name: str, settings: dict, inputs: dict[str, str], output: str, threads: int = 1) -> None:
    """Train the problems of a block on `threads` threads; `inputs`: the block's file by stage."""
    arithmetic.require_device(cards.of_variant(name)[0], settings)
    allow(threads)
    drawn, trained, kept = load_cells(inputs["problems"]), dict[str, dict](), dict[str, dict]()
    with _module(name, "descent") as module, answers.all_kept(trained):
        for label, cell in drawn.items():
            with audit_log.recording() as judged:
                trained[label] = descent_of(module, cell, settings, f"{name} {label} descent")
            diverged = f"the descent diverged; choose a smaller learning_rate, or mend descent.py of {name}"
            _require_finite(label, trained[label], diverged)
            if judged:
                kept[label] = records.packed(judged, trained[label])
    task = {records.TASK: records.task(name, "descent", settings)}
    save_cells(output, trained | ({records.NAME: task | kept} if kept else {}))


def svm(name: str, settings: dict, inputs: dict[str, str], output: str) -> None:
    """Solve and certify the max-margin problems of a block; `inputs`: the block's file by stage."""
    drawn, trained, solved = load_cells(inputs["problems"]), of_stage(inputs, "descent"), dict[str, dict]()
    kept = {records.TASK: records.task(name, "svm", settings)}
    with (
        _module(name, "svm") as module,
        answers.all_kept(solved),
        Progress(len(drawn), f"{name} cells solved") as progress,
    ):
        for label, cell in drawn.items():
            with audit_log.recording() as judged:
                solved[label] = svm_of(module, cell, trained[label], settings)
            kept[label] = records.packed(judged, solved[label])
            progress(1)
    save_cells(output, solved | {records.NAME: kept})


def descent_of(module: ModuleType, cell: dict, settings: dict, what: str) -> dict:
    """What the descent makes of the problems of a cell; `what` stands beside its progress."""
    batch = Problems.from_arrays(cell["problems"])
    with Progress(len(batch), what) as progress:
        return _returned(module, "descent", dict, batch, settings, progress)


def svm_of(module: ModuleType, cell: dict, trained: dict, settings: dict) -> dict:
    """The answers to the problems of a cell, with the fields that later stages read."""
    whole = _returned(module, "svm", dict, Problems.from_arrays(cell["problems"]), trained, settings)
    return answers.without_fields(whole, getattr(module, "KEPT", answers.USUAL))


def measures_of_block(name: str, settings: dict, inputs: dict[str, str], output: str) -> None:
    """Measure a block where it was trained; `inputs`: the block's file by stage."""
    with _module(name, "measures") as module:
        measured = _measured(name, module, settings, inputs)
    save_cells(output, {"tables": measured.tables()})


def variant(name: str, settings: dict[str, dict], parts: list[list], outputs: dict[str, str], threads: int = 1) -> None:
    """All stages of a block, one after the other: what a variant costs is little beside the start of a job.

    Args:
        settings, outputs: by stage.
    """
    before: dict[str, str] = {}
    for stage, output in outputs.items():
        match stage:
            case "problems":
                problems(name, settings[stage], parts, output)
            case "descent":
                descent(name, settings[stage], before, output, threads)
            case "svm":
                svm(name, settings[stage], before, output)
            case "measures":
                measures_of_block(name, settings[stage], before, output)
        before[stage] = output


def measures(name: str, settings: dict, files: Iterable[dict[str, str]], outputs: dict[str, str]) -> None:
    """Measure every block that is not yet measured, and gather all in seed order into the table the figure draws.

    Args:
        files: the file of every block by stage; of a block that is measured, that of "measures" alone.
        outputs: paths "table" (what the figure draws), "instances" (one measured value per row), "outcomes" (csv: how
            many instances of each cell ended how), "cells" (csv: how many instances each cell has, and their seeds) and
            "certificates" (csv: how many solves ended how, see `answers.count`).
    """
    with _module(name, "measures") as module:
        from attnsvm.pipeline.running import gathering

        measured = (
            gathering.Block(**load_cells(inputs["measures"])["tables"])
            if "measures" in inputs
            else _measured(name, module, settings, inputs)
            for inputs in files
        )
        gathered = gathering.gather(name, measured, nothing=bool(cards.of_variant(name)[1]))
        table = drawn_table(name, gathered.measures, settings)
    save_table(outputs["table"], table)
    save_table(outputs["instances"], gathered.measures.instances)
    save_csv(outputs["outcomes"], gathering.count_outcomes(gathered.measures))
    save_csv(outputs["cells"], gathered.cells)
    save_csv(outputs["certificates"], answers.total(gathered.certificates, name))


def figure(name: str, settings: dict, tables: dict[str, str], stem: str) -> None:
    """Draw a figure as `stem`.pdf, `stem`.png and `stem`.svg, and write the numbers drawn to `stem`.csv.

    Args:
        tables: by experiment, the table to draw; of several, the rows follow one another, with a column `experiment`.
    """
    import pandas as pd

    card = cards.read(name)
    frames = {experiment: load_table(path) for experiment, path in tables.items()}
    if len(frames) > 1:
        for experiment, frame in frames.items():
            frame.insert(0, "experiment", experiment)
    table = pd.concat(frames.values(), ignore_index=True)
    unknown = [column for column in table if column not in card.columns]
    absent = [column for column in card.columns if column not in table]
    where = f"{name}/card.yaml: columns"
    if unknown:
        plain = [*tables] == [name] and not hasattr(card.module("measures"), "table")
        why = " (measures.py has no `table`: these are its rows)" if plain else ""
        raise UserError(f"{where}: say what {', '.join(map(repr, unknown))} means{why}")
    require(not absent, f"{where}: the table has no column {', '.join(map(repr, absent))}")
    save_csv(f"{stem}.csv", table)
    with covered(*modules.of_figure(name)):
        from matplotlib.figure import FigureBase

        module = card.module("figure")
        figure = _returned(module, "draw", FigureBase, table, headed(name, settings, f"{stem}.csv"))
    seen = any(axes.has_data() or axes.texts or axes.tables for axes in _axes(figure))
    require(seen, f"{_file(module)}: `draw` draws nothing: a figure needs axes with lines, marks or the like")
    save_figure(figure, stem, settings["dpi"])


def _axes(figure) -> Iterator:
    """The axes of a figure and of the figures in it."""
    yield from figure.axes
    for part in figure.subfigs:
        yield from _axes(part)


def headed(name: str, settings: dict, csv: str) -> dict:
    """The settings of a figure with its headline, see `attnsvm.audit.headline`; `csv`: the path of the table drawn."""
    from attnsvm.audit.headline import headline

    line = headline(name, settings["title"], load_csv(csv), cards.read(name).claims, settings["scale"])
    return settings | {"headline": line}


def drawn_table(name: str, measured, settings: dict):
    """What the figure of an experiment draws of its measures."""
    import pandas as pd

    module = cards.read(name).module("measures")
    made = hasattr(module, "table") and len(measured.instances) > 0
    return _returned(module, "table", pd.DataFrame, measured, settings) if made else measured.instances


def save_figure(figure, stem: str, dpi: float) -> None:
    """Write a figure as `stem`.pdf, `stem`.png and `stem`.svg."""
    from attnsvm.plots.style import all_rendered

    for kind, content in all_rendered(figure, dpi).items():
        save_bytes(f"{stem}.{kind}", content)


@contextmanager
def _module(name: str, stage: str) -> Iterator[ModuleType]:
    """The module of a stage, and a job that runs nothing beside what its hash covers."""
    with covered(*modules.of_stage(name, stage)):
        yield cards.read(name).module(stage)


def _returned(module: ModuleType, function: str, kind: type, *arguments):
    """What a function of an experiment makes of its arguments.

    Raises:
        UserError: there is no such function, or it returns something else than `kind`.
    """
    require(hasattr(module, function), f"{_file(module)}: there is no function `{function}`")
    made = getattr(module, function)(*arguments)
    what = f"`{function}` returned {type(made).__name__}: let it return {kind.__name__}"
    require(isinstance(made, kind), f"{_file(module)}: {what}")
    if isinstance(made, dict):
        _require_arrays(f"{_file(module)}: `{function}` returned", made)
    return made


def _require_arrays(what: str, tree: dict) -> None:
    for name, value in tree.items():
        require(isinstance(name, str) and "/" not in name, f"{what} {name!r}: a name is text without a slash")
        if isinstance(value, dict):
            _require_arrays(what, value)
        else:
            kind = f"{type(value).__name__} as {name!r}: let it return arrays of numbers or words"
            require(not np.asarray(value).dtype.hasobject, f"{what} {kind}")


def _file(module: ModuleType) -> str:
    return f"{module.__name__.replace('.', '/')}.py"


def _measured(name: str, module: ModuleType, settings: dict, inputs: dict[str, str]):
    """What is measured in a block, as `gathering.Block`."""
    from attnsvm.analysis.measured import Measures
    from attnsvm.pipeline.running import gathering

    drawn, trained, solved = load_cells(inputs["problems"]), of_stage(inputs, "descent"), of_stage(inputs, "svm")
    parts, proofs = [], []
    for label, content in drawn.items():
        place, cell, batch = _placed(content)
        arguments = cell, batch, trained[label], solved[label], settings
        parts.append((place, cell, _returned(module, "measures", Measures, *arguments)))
        proofs += [answers.count(trained[label], name), answers.count(solved[label], name)]
    return gathering.block(parts, answers.total(proofs, name))


def of_stage(inputs: dict[str, str], stage: str) -> Cells:
    """What a stage made; nothing of a stage that the experiment does not have."""
    return load_cells(inputs[stage]) if stage in inputs else Cells("")


def _placed(content: dict) -> tuple[int, Cell, Problems]:
    where, batch = content["cell"], Problems.from_arrays(content["problems"])
    n, T, d = (int(where[key]) for key in ("n", "T", "d"))
    return int(where["place"]), Cell(n, T, d, tuple(batch.seeds.tolist()), str(where["variant"])), batch


def _require_finite(path: str, tree: dict, remedy: str) -> None:
    for name, value in tree.items():
        if isinstance(value, dict):
            _require_finite(f"{path}/{name}", value, remedy)
        elif np.asarray(value).dtype.kind == "f":
            finite = np.isfinite(value).all() or name in (*answers.PROOF, "dual")
            require(bool(finite), f"{path}/{name} is not finite: {remedy}")
