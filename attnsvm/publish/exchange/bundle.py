"""`attnsvm bundle`: the results of targets in an ordinary archive, with what a run elsewhere needs to believe them.

Beside every file lies its checksum with its record (`pipeline.job_records`), so that `tar -x` in a clone is all that is
to be done: a run builds anew what is damaged there, or was made by other code or from other settings.
"""

import gzip
import shlex
import tarfile
from pathlib import Path

from attnsvm.pipeline import cards, targets
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import TABLES, Plan
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require
from attnsvm.system.writing import replacing

DATE = 946684800  # of all files, 2000-01-01: none is newer than what was made from it


def write(asked: list[str], path: Path, scale: str = "paper", folder: Path = Path("."), run: str = "") -> list[str]:
    """Write an archive of targets that are built in a folder, and return its files; the same ones give the same bytes.

    Args:
        asked: figures/NAME, figures/all, audit, ...
        scale, run: of the configuration with which they are built.

    Raises:
        UserError: a target is unknown, not built, or damaged, or there is no record of a file.
    """
    require(path.name.endswith(".tar.gz"), f"{path}: the archive is a .tar.gz: name it so")
    plan = Plan(resolve({"scale": scale, "run": run}), {})
    command = shlex.join(["snakemake", *asked, *(["--config", *targets.settings(plan.at).split()] if plan.at else [])])
    files = behind([file for target in asked for file in wanted(target, plan)], folder, command)
    with (
        replacing(path, checksum=False) as temporary,
        open(temporary, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=DATE) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted([*files, *(checksums.beside(file).as_posix() for file in files)]):
            with open(folder / name, "rb") as file:
                member = tarfile.TarInfo(name)
                member.size, member.mtime = (folder / name).stat().st_size, DATE
                tar.addfile(member, file)
    return files


def wanted(target: str, plan: Plan) -> list[str]:
    """The files of a target, as the Snakefile has them; `UserError` where it is none of figures."""
    if target == "audit":
        return [*dict.fromkeys(plan.target("audit") + plan.target("figures/audit"))]
    folder, _, name = target.rpartition("/")
    require(folder == "figures", targets.no_such_target(target))
    known = (*targets.figures(), *targets.optional(), "all", *cards.SECTIONS)
    require(name in known, cards.unknown_name(name, known, "figure"))
    return plan.target(target)


def behind(files: list[str], folder: Path, command: str) -> list[str]:
    """Files and everything behind them that is there, sorted; what is behind a finished file may be deleted.

    Args:
        command: that builds them.

    Raises:
        UserError: one of the first is not there; one that is there is damaged, or has no record.
    """
    missing = [file for file in files if not (folder / file).exists()]
    require(not missing, f"{', '.join(missing[:1])}: not built; run first: {command}")
    found, todo = set[str](), [*files]
    while todo:
        file = todo.pop()
        if file in found or not (folder / file).exists():
            continue
        record = checksums.record(folder / file)
        if record is None:
            raise UserError(f"{file}: there is no record of what made it; run first: {command}")
        require(checksums.holds(folder / file), f"{file}: damaged ({checksums.DIFFERS}); run first: {command}")
        found.add(file)
        todo += record["inputs"]
        if file.endswith(f"/{TABLES[0]}"):  # the other outputs of its job
            todo += [file.replace(TABLES[0], other) for other in TABLES[1:]]
    return sorted(found)
