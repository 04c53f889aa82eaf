"""Where a figure comes from: what was asked for, what code and libraries answered, what became of the instances.

The code is named by a hash of its content, by the last commit that touched it, and by whether the files differ from
that commit: commits that touch other files change none of the three. The commit that was checked out is named too.
"""

import csv
import hashlib
import json
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from attnsvm.svm.verdict import COUNTS, require_tight
from attnsvm.system.writing import save_text

PACKAGES = (
    "attnsvm",
    "clarabel",
    "cvxpy",
    "cvxpy-base",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "scs",
    "snakemake",
    "torch",
)
COMMAND = "ATTNSVM_COMMAND"  # in the environment of every job: what the user typed
ROOT = Path(__file__).resolve().parents[2]
TOOK = re.compile(r"took ([\d.]+) s, ([\d.]+) s of a processor$", re.MULTILINE)  # the last line of a job's log
SCHEMA = Path(__file__).resolve().with_name("provenance.schema.yaml")


def write(
    experiments: dict,
    blocks: dict[str, list[str]],
    settings: dict,
    code: list[str],
    results: str,
    drawn: Iterable[str],
    output: str,
    outside: dict | None = None,
) -> None:
    """Write the provenance of a figure as JSON, checked against its schema; see `describe`."""
    import jsonschema
    import yaml

    answer = describe(experiments, blocks, settings, code, Path(results), map(Path, drawn), outside or {})
    jsonschema.validate(answer, yaml.safe_load(SCHEMA.read_text("utf-8")))
    save_text(output, json.dumps(answer, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def as_typed(arguments: Sequence[str]) -> str:
    """A command as it could be typed again, from the arguments of its process."""
    return shlex.join([Path(arguments[0]).name, *arguments[1:]])


def describe(
    experiments: dict[str, dict],
    blocks: dict[str, list[str]],
    settings: dict,
    code: Iterable[str],
    results: Path,
    drawn: Iterable[Path],
    outside: dict[str, dict],
) -> dict:
    """The provenance of a figure, as provenance.schema.yaml beside this file has it.

    Args:
        experiments: the configuration of each experiment behind the figure, by name.
        blocks: the names of the blocks of each.
        settings: the configuration of the figures.
        code: the files of this repository that all its stages run, relative to it.
        results: the folder of the results.
        drawn: the files of the figure.
        outside: {file: SHA-256} of what an experiment reads from outside this repository, by experiment.
    """
    config = {"experiments": experiments, "figures": settings}
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": os.environ.get(COMMAND),
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in drawn},
        "config": config,
        "config_sha256": hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest(),
        "code": _code(sorted(code), ROOT),
        "packages": {name: _version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "machine": _machine(),
        "blas": _blas(),
        "experiments": {
            name: _experiment(results, name, blocks[name]) | _outside(outside, name) for name in experiments
        },
    }


def _code(files: list[str], folder: Path) -> dict:
    total, contents = hashlib.sha256(), {name: (folder / name).read_bytes() for name in files}
    for name, content in contents.items():
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    head = git("rev-parse", "HEAD", folder=folder)
    commit = head and git("rev-list", "-1", "HEAD", "--", *files, folder=folder)
    if commit and git("rev-parse", "--is-shallow-repository", folder=folder) == "true":
        # Of where the history is cut off git says that it made every file.
        commit = commit if " " in (git("rev-list", "--parents", "-1", commit, folder=folder) or "") else None
    listed = (git("ls-tree", "-z", "HEAD", "--", *files, folder=folder) or "").split("\0") if head else []
    blobs = {name: about.split()[-1] for about, _, name in (line.partition("\t") for line in listed if line)}
    same = all(blobs.get(name) in _blobs(content, len(head or "")) for name, content in contents.items())
    known = {"commit": commit or None, "head": head or None, "dirty": not same if head else None}
    return {"sha256": total.hexdigest(), "files": files} | known


def _blobs(content: bytes, length: int) -> list[str]:
    """What git calls a content, and the same with the line ends of other systems; whatever it is told to pass over.

    Args:
        length: of the names in this repository.
    """
    kind = "sha1" if length == 40 else "sha256"
    both = (content, content.replace(b"\r\n", b"\n"))
    return [hashlib.new(kind, b"blob %d\0" % len(one) + one, usedforsecurity=False).hexdigest() for one in both]


def git(*arguments: str, folder: Path = ROOT) -> str | None:
    """What git prints of the repository of these sources; None without git, or where their folder is not its top.

    A package in somebody's environment, and a working copy inside somebody's project, have another repository around
    them: its commits say nothing of this code.
    """
    top = _git(folder, "rev-parse", "--show-toplevel")
    return _git(folder, *arguments) if top and os.path.realpath(top) == os.path.realpath(folder) else None


def _git(folder: Path, *arguments: str) -> str | None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CEILING" in name}
    command = ["git", "--no-optional-locks", *arguments]
    try:
        run = subprocess.run(command, cwd=folder, env=clean, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return os.fsdecode(run.stdout).strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _machine() -> dict:
    """The machine that wrote the figure: no name, nothing that tells one machine from its twin."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), cpu)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (OSError, ValueError):
        memory = None
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gib": memory and round(memory, 1),
    }


def _blas() -> list[dict]:
    """The libraries of linear algebra that this process has loaded, with the kernels they chose for this processor."""
    import scipy.linalg.blas  # noqa: F401  loads that of SciPy, and that of NumPy with it
    from threadpoolctl import threadpool_info

    loaded = [one for one in threadpool_info() if one["user_api"] == "blas"]
    found = [{key: one.get(key) for key in ("internal_api", "version", "architecture")} for one in loaded]
    return sorted(found, key=str)  # they come in the order of their places in memory


def _experiment(results: Path, name: str, blocks: list[str]) -> dict:
    cells = _rows(results / name / "cells.csv")
    outcomes: dict[str, int] = {}
    for row in _rows(results / name / "outcomes.csv"):
        outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + int(row["instances"])
    proofs = _rows(results / name / "certificates.csv")
    require_tight(name, proofs)
    solves: dict[str, float | None] = {word: sum(int(row[word]) for row in proofs) for word in COUNTS}
    solves["largest_gap"] = max((float(row["largest_gap"]) for row in proofs if int(row["solved"])), default=None)
    return {
        "seeds": {
            "first": min(int(row["first_seed"]) for row in cells),
            "last": max(int(row["last_seed"]) for row in cells),
        },
        "instances_tried": sum(int(row["instances"]) for row in cells),
        "outcomes": outcomes,
        "svm_certificates": solves,
        "cost": {
            stage: _cost(results / "logs" / name, stage, blocks) for stage in ("problems", "descent", "svm", "measures")
        },
    }


def _outside(outside: dict[str, dict], name: str) -> dict:
    return {"outside": outside[name]} if outside.get(name) else {}


def _cost(base: Path, stage: str, blocks: list[str]) -> dict | None:
    """Seconds of a stage, its blocks added up, as its jobs noted in their logs; None if it did not run here."""
    logs = [*(base / block / f"{stage}.log" for block in blocks), base / f"{stage}.log"]
    taken = [TOOK.findall(log.read_text("utf-8", "replace")) for log in logs if log.exists()]
    known = [(float(wall), float(own)) for found in taken for wall, own in found[-1:]]
    wall, own = (round(sum(seconds), 2) for seconds in zip(*known, strict=True)) if known else (0.0, 0.0)
    return {"wall_s": wall, "cpu_s": own, "jobs": len(known)} if known else None


def _rows(path: Path) -> list[dict]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def _job(job) -> None:
    results = f"{job.output[0].rpartition('figures/')[0]}results"
    drawn = [job.inputs["figure"]] if isinstance(job.inputs["figure"], str) else list(job.inputs["figure"])
    known = job.params.experiments, job.params.blocks, job.params.settings, job.params.files
    write(*known, results, drawn, job.output[0], job.params.outside)


JOBS = {"provenance": _job}
