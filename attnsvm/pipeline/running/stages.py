"""The stages of a block: read its files, run the experiment's module, write the output file.

A block file holds, per cell, what its stage made; that of `problems` also says which cell it is. Pandas is imported by
what makes tables: these stages would wait half a second for it.
"""

import importlib
from types import ModuleType

import numpy as np

from attnsvm.data.cells import of_parts
from attnsvm.data.problems import Problems
from attnsvm.pipeline import answers, cards, elsewhere
from attnsvm.pipeline.running import arithmetic, records
from attnsvm.pipeline.running.reporting import Progress
from attnsvm.svm import audit_log
from attnsvm.system.errors import require
from attnsvm.system.store import Cells, load_cells, save_cells
from attnsvm.training.threads import allow


def problems(name: str, settings: dict, parts: list[list], output: str) -> None:
    """Draw the problems of a block, which is made of `parts` of the grid's cells."""
    drawn, redrawn = {}, elsewhere.distribution(name)
    if redrawn:
        settings = {key: value for key, value in settings.items() if key != elsewhere.DISTRIBUTION}
    module = cards.read(name).module("problems")
    for place, cell in of_parts(parts):
        where = {"place": np.array(place)}
        where |= {key: np.array(getattr(cell, key)) for key in ("n", "T", "d", "variant")}
        batch = returned(module, "problems", Problems, cell, settings)
        arrays = (importlib.import_module(redrawn).redrawn(batch) if redrawn else batch).arrays()
        _require_finite(f"{name}: problems.py: {cell.label}", arrays, "draw no such instance")
        drawn[cell.label] = {"cell": where, "problems": arrays}
    save_cells(output, drawn)


def descent(name: str, settings: dict, inputs: dict[str, str], output: str, threads: int = 1) -> None:
    """Train the problems of a block on `threads` threads; `inputs`: the block's file by stage."""
    arithmetic.require_device(cards.of_variant(name)[0], settings)
    allow(threads)
    drawn, trained, kept = load_cells(inputs["problems"]), dict[str, dict](), dict[str, dict]()
    module = cards.read(name).module("descent")
    with answers.all_kept(trained):
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
    module = cards.read(name).module("svm")
    with answers.all_kept(solved), Progress(len(drawn), f"{name} cells solved") as progress:
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
        return returned(module, "descent", dict, batch, settings, progress)


def svm_of(module: ModuleType, cell: dict, trained: dict, settings: dict) -> dict:
    """The answers to the problems of a cell, with the fields that later stages read."""
    whole = returned(module, "svm", dict, Problems.from_arrays(cell["problems"]), trained, settings)
    return answers.without_fields(whole, getattr(module, "KEPT", answers.USUAL))


def of_stage(inputs: dict[str, str], stage: str) -> Cells:
    """What a stage made; nothing of a stage that the experiment does not have."""
    return load_cells(inputs[stage]) if stage in inputs else Cells("")


def _require_finite(path: str, tree: dict, remedy: str) -> None:
    for name, value in tree.items():
        if isinstance(value, dict):
            _require_finite(f"{path}/{name}", value, remedy)
        elif np.asarray(value).dtype.kind == "f":
            finite = np.isfinite(value).all() or name in (*answers.PROOF, "dual")
            require(bool(finite), f"{path}/{name} is not finite: {remedy}")


def returned(module: ModuleType, function: str, kind: type, *arguments):
    """What a function of an experiment makes of its arguments.

    Raises:
        UserError: there is no such function, or it returns something else than `kind`.
    """
    require(hasattr(module, function), f"{file_of(module)}: there is no function `{function}`")
    made = getattr(module, function)(*arguments)
    what = f"`{function}` returned {type(made).__name__}: let it return {kind.__name__}"
    require(isinstance(made, kind), f"{file_of(module)}: {what}")
    if isinstance(made, dict):
        _require_arrays(f"{file_of(module)}: `{function}` returned", made)
    return made


def _require_arrays(what: str, tree: dict) -> None:
    for name, value in tree.items():
        require(isinstance(name, str) and "/" not in name, f"{what} {name!r}: a name is text without a slash")
        if isinstance(value, dict):
            _require_arrays(what, value)
        else:
            kind = f"{type(value).__name__} as {name!r}: let it return arrays of numbers or words"
            require(not np.asarray(value).dtype.hasobject, f"{what} {kind}")


def file_of(module: ModuleType) -> str:
    return f"{module.__name__.replace('.', '/')}.py"


JOBS = {
    "problems": lambda job: problems(job.name, job.params.settings, job.params.parts, job.output[0]),
    "descent": lambda job: descent(job.name, job.params.settings, job.inputs, job.output[0], job.threads),
    "svm": lambda job: svm(job.name, job.params.settings, job.inputs, job.output[0]),
}
