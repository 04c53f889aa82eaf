"""What files a target is made of, and whether their records say what this code and this configuration ask for."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from attnsvm.pipeline import cards, job_records, targets
from attnsvm.pipeline.plan import Plan
from attnsvm.system.errors import UserError, require

TABLES = ("measures.parquet", "instances.parquet", "outcomes.csv", "cells.csv", "certificates.csv")
# {pattern of a rule's outputs, with the rule's wildcards: the rule; "": that which is called as its file}
OUTPUTS = {
    r"results/(?P<experiment>\w+)/(?P<block>[\w-]+)/(?P<stage>problems|descent|svm)\.npz": "",
    r"results/(?P<experiment>\w+)/(?P<block>[\w-]+)/measures\.npz": "measures_of_block",
    rf"results/(?P<experiment>\w+)/({'|'.join(map(re.escape, TABLES))})": "measures",
    r"results/audit/(claims\.csv|audit\.html)": "claims",
    r"results/audit/(?P<claimed>\w+)\.(csv|html)": "claims_of",
    r"figures/audit\.(pdf|png|svg)": "audit_figure",
    r"figures/(?P<figure>\w+)\.(pdf|png|svg|csv)": "figure",
    r"figures/(?P<pictured>\w+)\.json": "provenance",
}


@dataclass(frozen=True)
class Record:
    """What Snakemake noted of an output.

    Attributes:
        inputs: the files it was made from.
        params: what its job was given, each as Python writes it, sorted.
    """

    inputs: tuple[str, ...]
    params: tuple[str, ...]

    @classmethod
    def parse(cls, path: str, content: bytes) -> "Record":
        """The record of the output `path`; raises `UserError` where the bytes are no record."""
        try:
            found = json.loads(content)
            return cls(tuple(map(str, found["input"])), tuple(sorted(map(str, found["params"]))))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
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
        UserError: a file that is there has no record.
    """
    found: dict[str, Record] = {}
    todo = list(files)
    while todo:
        path = todo.pop()
        if path in found or not (folder / path).exists():  # what is behind a finished file may be deleted
            continue
        try:
            content = (folder / at / job_records.TRAVELLING / job_records.name(path)).read_bytes()
        except OSError as error:
            raise UserError(
                f"{path}: Snakemake has no record of it; run snakemake to its end, or build it again"
            ) from error
        found[path] = Record.parse(path, content)
        todo += found[path].inputs
        if path.endswith(f"/{TABLES[0]}"):  # the other outputs of its job
            todo += [path.replace(TABLES[0], other) for other in TABLES[1:]]
    return found


def job_of(path: str, at: str) -> tuple[str, dict[str, str]]:
    """The rule that makes an output, and its wildcards.

    Args:
        at: the folder of the scale, see `plan.folder`.

    Raises:
        UserError: it is no output of this workflow.
    """
    for pattern, rule in OUTPUTS.items():
        if match := re.fullmatch(pattern, path.removeprefix(at)):
            wildcards = match.groupdict()
            return rule or wildcards.pop("stage"), wildcards
    raise UserError(f"{path}: this is not a file of this workflow")


def block_of(path: str, at: str) -> tuple[str, str] | None:
    """The experiment and the block of a block's file; None for another file."""
    try:
        wildcards = job_of(path, at)[1]
    except UserError:
        return None
    return (wildcards["experiment"], wildcards["block"]) if "block" in wildcards else None


def params(path: str, plan: Plan) -> list[str]:
    """The params of the job of an output by this code and this configuration, as Snakemake notes them.

    Raises:
        UserError: it is no output of this workflow, or of a block that this configuration does not have.
    """
    rule, wildcards = job_of(path, plan.at)
    if "block" in wildcards:
        there = wildcards["block"] in plan.blocks(wildcards["experiment"])
        require(there, f"{path}: this configuration has no block {wildcards['block']}")
    return sorted(repr(function(**wildcards)) for function in plan.params(rule).values())


def digest(params: Iterable[str]) -> str:
    """A hash of params."""
    return hashlib.sha256("\0".join(params).encode()).hexdigest()
