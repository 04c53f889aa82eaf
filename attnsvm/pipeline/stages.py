"""One function a stage: read the stage's input files, run the experiment, write its output file."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from attnsvm import certificates, experiments
from attnsvm.errors import UserError
from attnsvm.experiments.base import Measures, block_cells
from attnsvm.problems import Problems
from attnsvm.pipeline.progress import Progress
from attnsvm.files.store import load_cells, load_csv, load_table, save_cells, save_csv, save_table, save_text


def problems(name: str, config: dict, block: str, output: str) -> None:
    """Draw the problems of a block."""
    experiment = experiments.get(name, config)
    save_cells(output, {cell.label: experiment.problems(cell).arrays() for cell in block_cells(experiment, block)})


def descent(name: str, config: dict, problems_path: str, output: str, threads: int = 1) -> None:
    """Train the problems of a block."""
    import torch

    torch.set_num_threads(threads)
    experiment = experiments.get(name, config)
    trained = {}
    for label, batch in _problems(problems_path).items():
        with Progress(len(batch) * experiment.trainings, f"{name} {label} descent") as progress:
            trained[label] = _finite(label, experiment.descent(batch, progress))
    save_cells(output, trained)


def svm(name: str, config: dict, problems_path: str, descent_path: str, output: str) -> None:
    """Solve and certify the max-margin problems of a block."""
    experiment = experiments.get(name, config)
    batches, trained = _problems(problems_path), load_cells(descent_path)
    solved = {}
    with Progress(len(batches), f"{name} cells solved") as progress:
        for label, batch in batches.items():
            solved[label] = experiment.svm(batch, trained[label])
            progress(1)
    save_cells(output, solved)


def measures(name: str, config: dict, blocks: Iterable[tuple[str, str, str, str]], outputs: dict[str, str]) -> None:
    """Measure every block and gather the blocks, in seed order, into the table the figure draws.

    Args:
        blocks: (block "i-of-N", problems, descent and svm file) of every block.
        outputs: paths "table" (what the figure draws), "instances" (one measured value a row), "outcomes" (csv: how
            many instances of each cell ended how) and "certificates" (csv: how many solves ended how, see
            `certificates.count`).
    """
    experiment = experiments.get(name, config)
    place = {cell.label: k for k, cell in enumerate(experiment.cells())}
    parts, proofs = [], []
    for block, problems_path, descent_path, svm_path in blocks:
        drawn, trained, solved = load_cells(problems_path), load_cells(descent_path), load_cells(svm_path)
        for cell in block_cells(experiment, block):
            arrays = Problems.from_arrays(drawn[cell.label]), trained[cell.label], solved[cell.label]
            parts.append((place[cell.label], experiment.measures(cell, *arrays)))
            proofs.append(certificates.count({**arrays[1], **arrays[2]}))
    # Cells that differ in their variant alone have the same seeds: the blocks must not decide which comes first.
    parts = [part for _, part in sorted(parts, key=lambda placed: placed[0])]
    ends = pd.concat([part.outcomes for part in parts], ignore_index=True)
    measured = [part.instances for part in parts if len(part.instances)]
    if not measured:
        became = ", ".join(f"{count} {outcome}" for outcome, count in ends.outcome.value_counts().items())
        raise UserError(
            f"{name}: no instance could be measured ({became}); raise d, the steps or the number of instances"
        )
    instances = pd.concat(measured, ignore_index=True)
    gathered = Measures(_in_seed_order(instances), _in_seed_order(ends))
    counts = gathered.outcomes.groupby(["n", "T", "d", "outcome"], as_index=False).agg(instances=("seed", "size"))
    save_table(outputs["table"], experiment.table(gathered))
    save_table(outputs["instances"], gathered.instances)
    save_csv(outputs["outcomes"], counts)
    save_csv(outputs["certificates"], certificates.total(proofs))


def figure(name: str, settings: dict, table_paths: list[str], stem: str) -> None:
    """Draw a figure as `stem`.pdf and `stem`.png, and write the numbers drawn to `stem`.csv."""
    from attnsvm import plots
    from attnsvm.plots.style import save

    tables = dict(zip(plots.FIGURES[name], map(load_table, table_paths), strict=True))
    if len(tables) > 1:
        for experiment, own in tables.items():
            own.insert(0, "experiment", experiment)
    table = pd.concat(tables.values(), ignore_index=True)
    save(plots.draw(name, table, settings), stem, settings["dpi"])
    save_csv(f"{stem}.csv", table)


def claims(outputs: dict[str, str], folder: str = ".") -> None:
    """Check every claim against the csv files under `folder`; write paths "csv", "html" and "md"."""
    from attnsvm.audit import Tables, audit, certificates, pages

    tables = Tables(Path(folder))
    table, proofs = audit(tables), certificates(tables)
    save_csv(outputs["csv"], table)
    save_text(outputs["html"], pages.html(table, proofs))
    save_text(outputs["md"], pages.markdown(table, proofs))


def audit_figure(settings: dict, claims_path: str, stem: str) -> None:
    """Draw the table of claims as `stem`.pdf and `stem`.png."""
    from attnsvm.plots import audit
    from attnsvm.plots.style import save

    save(audit.draw(load_csv(claims_path), settings), stem, settings["dpi"])


def provenance(experiments: dict, settings: dict, code: list[str], schema_path: str, output: str) -> None:
    """Write the provenance of a figure as JSON, checked against its schema."""
    import json

    import jsonschema
    import yaml

    from attnsvm.pipeline.provenance import describe

    answer = describe(experiments, settings, code)
    jsonschema.validate(answer, yaml.safe_load(Path(schema_path).read_text()))
    save_text(output, json.dumps(answer, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def _finite(label: str, arrays: dict) -> dict:
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise UserError(f"{label}: {name} is not finite: the descent diverged; choose a smaller learning_rate")
    return arrays


def _problems(path: str) -> dict[str, Problems]:
    return {label: Problems.from_arrays(arrays) for label, arrays in load_cells(path).items()}


def _in_seed_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The same order of rows however the instances were split into blocks."""
    if "seed" not in frame:
        return frame
    keys = [key for key in frame.columns if key in ("n", "T", "d", "seed")]
    return frame.sort_values(keys, kind="stable", ignore_index=True)
