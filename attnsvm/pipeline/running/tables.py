"""What is measured of the blocks of an experiment, and the tables that they are gathered into."""

from collections.abc import Iterable
from types import ModuleType

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.pipeline import answers, cards
from attnsvm.pipeline.running import gathering, stages
from attnsvm.pipeline.running.stages import of_stage, returned
from attnsvm.system.store import load_cells, save_cells, save_csv, save_table


def measures_of_block(name: str, settings: dict, inputs: dict[str, str], output: str) -> None:
    """Measure a block where it was trained; `inputs`: the block's file by stage."""
    measured = _measured(name, cards.read(name).module("measures"), settings, inputs)
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
                stages.problems(name, settings[stage], parts, output)
            case "descent":
                stages.descent(name, settings[stage], before, output, threads)
            case "svm":
                stages.svm(name, settings[stage], before, output)
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
    module = cards.read(name).module("measures")
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


def drawn_table(name: str, measured, settings: dict):
    """What the figure of an experiment draws of its measures."""
    import pandas as pd

    module = cards.read(name).module("measures")
    made = hasattr(module, "table") and len(measured.instances) > 0
    return returned(module, "table", pd.DataFrame, measured, settings) if made else measured.instances


def _measured(name: str, module: ModuleType, settings: dict, inputs: dict[str, str]):
    """What is measured in a block, as `gathering.Block`."""
    from attnsvm.analysis.measured import Measures

    drawn, trained, solved = load_cells(inputs["problems"]), of_stage(inputs, "descent"), of_stage(inputs, "svm")
    parts, proofs = [], []
    for label, content in drawn.items():
        place, cell, batch = _placed(content)
        arguments = cell, batch, trained[label], solved[label], settings
        parts.append((place, cell, returned(module, "measures", Measures, *arguments)))
        proofs += [answers.count(trained[label], name), answers.count(solved[label], name)]
    return gathering.block(parts, answers.total(proofs, name))


def _placed(content: dict) -> tuple[int, Cell, Problems]:
    where, batch = content["cell"], Problems.from_arrays(content["problems"])
    n, T, d = (int(where[key]) for key in ("n", "T", "d"))
    return int(where["place"]), Cell(n, T, d, tuple(batch.seeds.tolist()), str(where["variant"])), batch


def _variant(job) -> None:
    by_stage = {path.rpartition("/")[2].removesuffix(".npz"): path for path in job.output}
    variant(job.name, job.params.settings, job.params.parts, by_stage, job.threads)


def _measures(job) -> None:
    by_stage = {stage: [files] if isinstance(files, str) else files for stage, files in job.inputs.items()}
    blocks = [dict(zip(by_stage, files, strict=True)) for files in zip(*by_stage.values(), strict=True)]
    measures(job.name, job.params.settings, blocks, job.outputs)


JOBS = {
    "measures_of_block": lambda job: measures_of_block(job.name, job.params.settings, job.inputs, job.output[0]),
    "variant": _variant,
    "measures": _measures,
}
