"""What files a target is made of, and whether their records say what this code and this configuration ask for."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from attnsvm.errors import UserError, require
from attnsvm.pipeline import cards, jobs, records, targets
from attnsvm.pipeline.plan import Plan

TABLES = ("measures.parquet", "instances.parquet", "outcomes.csv", "cells.csv", "certificates.csv")


@dataclass(frozen=True)
class Record:
    """What Snakemake noted of an output.

    Attributes:
        inputs: the files it was made from.
        params: what its job was given, each as Python writes it.
        content: the bytes of the record.
    """

    inputs: tuple[str, ...]
    params: frozenset[str]
    content: bytes

    @classmethod
    def parse(cls, path: str, content: bytes) -> "Record":
        """Of the output `path`; raises `UserError` where the bytes are no record."""
        try:
            found = json.loads(content)
            return cls(tuple(map(str, found["input"])), frozenset(map(str, found["params"])), content)
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path}: its record is not a Snakemake record ({error}); run snakemake again") from error


def wanted(target: str, plan: Plan) -> list[str]:
    """The files of a target, as the Snakefile has them.

    Raises:
        UserError: there is no such target of figures.
    """
    if target == "audit":
        return [*dict.fromkeys(plan.target("audit") + plan.target("figures/audit"))]
    folder, _, name = target.rpartition("/")
    require(folder == "figures", targets.no_such_target(target))
    known = (*targets.figures(), *targets.optional(), "all", *cards.SECTIONS)
    require(name in known, cards.unknown_name(name, known, "figure"))
    return plan.target(target)


def behind(files: Iterable[str], at: str, folder: Path) -> dict[str, Record]:
    """The records of files and of everything behind them that is there, by path.

    Args:
        at: the folder of the scale, see `plan.folder`.
        folder: in which the build lies.

    Raises:
        UserError: one of `files` is missing, or a file that is there has no record.
    """
    found: dict[str, Record] = {}
    todo = list(files)
    for path in todo:
        require((folder / path).exists(), f"{path}: not built; run snakemake first")
    while todo:
        path = todo.pop()
        if path in found or not (folder / path).exists():  # what is behind a finished file may be deleted
            continue
        try:
            content = (folder / at / records.TRAVELLING / records.name(path)).read_bytes()
        except OSError as error:
            raise UserError(
                f"{path}: Snakemake has no record of it; run snakemake to its end, or build it again"
            ) from error
        found[path] = Record.parse(path, content)
        todo += found[path].inputs
        if path.endswith(f"/{TABLES[0]}"):  # the other outputs of its job
            todo += [path.replace(TABLES[0], other) for other in TABLES[1:]]
    return found


def block_of(path: str, at: str) -> tuple[str, str, str] | None:
    """The experiment, the block and the stage of a block's file; None for another file."""
    parts = PurePosixPath(path.removeprefix(at)).parts
    if len(parts) == 4 and parts[0] == "results" and parts[3].removesuffix(".npz") in cards.STAGES:
        return parts[1], parts[2], parts[3].removesuffix(".npz")
    return None


def asked(path: str, plan: Plan) -> list:
    """What the job of an output is given by this code and this configuration, as far as its numbers follow from it.

    Raises:
        UserError: it is no output of this workflow, or of a block that this configuration does not have.
    """
    own = path.removeprefix(plan.at)
    folder, _, file = own.rpartition("/")
    name, _, kind = file.rpartition(".")
    if block := block_of(path, plan.at):
        experiment, seeds, stage = block
        require(seeds in plan.blocks(experiment), f"{path}: this configuration has no block {seeds}")
        given = {"stage": stage, "experiment": experiment, "block": seeds}
        last = plan.parts(experiment, seeds) if stage == "problems" else plan.before(**given)
        return [plan.settings(**given), plan.code(**given), last]
    if folder == "figures" and kind in targets.KINDS:
        if kind == "json":
            return [jobs.writer_code("provenance"), plan.resolved["figures"]]
        if name == "audit":
            return [jobs.writer_code("audit_figure"), plan.resolved["figures"]]
        return [plan.resolved["figures"], jobs.figure_code(name), plan.histories(jobs.behind(name))]
    if folder == "results/audit":
        claimed = () if name in ("claims", "audit") else (name,)
        before = targets.measured(name) if claimed else [card.name for card in cards.experiments()]
        return [jobs.claims_code(*(targets.claiming(name) if claimed else ())), plan.histories(before)]
    require(folder.startswith("results/") and file in TABLES, f"{path}: this is not a file of this workflow")
    given = {"stage": "measures", "experiment": folder.removeprefix("results/")}
    return [plan.settings(**given), plan.code(**given), plan.before(**given)]


def agrees(path: str, record: Record, plan: Plan) -> bool:
    """Whether the job of an output was given what this code and this configuration give it."""
    try:
        return {repr(value) for value in asked(path, plan)} <= record.params
    except UserError:
        return False
