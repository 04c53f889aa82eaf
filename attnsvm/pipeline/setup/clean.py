"""`make clean`: delete what a build made and recorded, follow no link, and name what stays. It takes no library.

A file goes if the record beside it is that of a job and its bytes are still those; with it go its hidden checksum and
the log of the job. Of what has no record there go the files that nobody writes by hand: Snakemake's records and locks,
and what a killed process left half-written.
"""

import base64
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attnsvm.system import checksums, signals
from attnsvm.system.errors import UserError, shown

BUILT = ("results", "figures", "paper", "smoke", "runs", "site")
OURS = ("paper/", "figures/gallery/", "figures/README.md")  # of the repository
RECORDS = ("metadata", "incomplete")  # Snakemake's folders of these, in .snakemake
SNAKEMAKES = {  # what it calls its other files, by their folder
    "log": r"[\dT.-]+\.snakemake\.log",
    "locks": r"\d+\.(in|out)put\.lock",
    "scripts": r"tmp\w{8}\..+",
    "iocache": r"latest\.pkl",
}
HALF = re.compile(r"\..+\.\d+(\.sum)?\.tmp")  # see attnsvm.system.writing
CONDA = (".snakemake/conda", ".snakemake/conda-archive")
NOT_MADE, CHANGED, LINK = "not made by a build", "changed since a build made it", "a link, which is not followed"


def clean() -> list[str]:
    """Delete what a build made in the folder where this process is; sentences on what stays."""
    stays = {Path(one): LINK for one in (*BUILT, ".snakemake") if os.path.islink(one)}
    there = {path for folder in BUILT for path in _files(folder)}
    gone, held = set[Path](), set[Path]()
    for sidecar in sorted(path for path in there.union(map(checksums.beside, BUILT)) if _is_plain(path)):
        path = sidecar.with_name(sidecar.name[1:].removesuffix(".sha256") or sidecar.name)
        record = checksums.record(path) if sidecar == checksums.beside(path) else None
        other = os.path.lexists(path) and not (_is_plain(path) or (path.is_dir() and not path.is_symlink()))
        if record is None or other:
            continue
        inside = {one for one in there if one.is_relative_to(path)} if path.is_dir() else {path} & there
        if inside and not sidecar.read_bytes().startswith(checksums.line(path, path.name)):
            stays[path] = CHANGED
            held |= {sidecar, *inside}
            continue
        log = Path(str(record.get("log")))
        gone |= {sidecar, *inside}
        gone |= {log} & there if log.suffix == ".log" and "logs" in log.parts else set()
    gone |= {path for path in there if _is_plain(path) and HALF.fullmatch(path.name)}
    mine = {*_files(".snakemake")}
    gone |= {path for path in mine if _of_snakemake(path)}
    for path in (there | mine | {*filter(os.path.lexists, [Path("report.html")])}) - gone - held - stays.keys():
        if not path.as_posix().startswith(OURS):
            stays[path] = LINK if path.is_symlink() else NOT_MADE
    for path in gone:
        path.unlink()
    emptied = {above for path in gone for above in path.parents} | {*Path(".snakemake").glob("*/")} - {Path()}
    for folder in sorted(emptied, reverse=True):
        with suppress(OSError):  # it holds what stays
            folder.rmdir()
    return _sentences(stays)


def _files(folder: str) -> Iterator[Path]:
    """What is no folder below one, links to folders too; nothing of environments, which are folders in `CONDA`."""
    for above, folders, names in os.walk(folder) if not os.path.islink(folder) else ():
        links = [name for name in folders if os.path.islink(os.path.join(above, name))]
        yield from (Path(above, name) for name in (*names, *links))
        folders[:] = [name for name in folders if name not in links and above not in CONDA]


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _of_snakemake(path: Path) -> bool:
    _, kind, *names = path.parts
    if not _is_plain(path):
        return False
    called = "/".join(names)
    return _of_output(names) if kind in RECORDS else bool(names and re.fullmatch(SNAKEMAKES.get(kind, ""), called))


def _of_output(names: Sequence[str]) -> bool:
    """Whether this is what Snakemake calls the record of an output: its path in base 64, a long one in pieces."""
    with suppress(ValueError):
        return bool(base64.b64decode("".join(name.removeprefix("@") for name in names), b"-_", validate=True).decode())
    return False


def _sentences(stays: dict[Path, str]) -> list[str]:
    """One sentence for each reason, with the first file that it is the reason of."""
    found = []
    for why in dict.fromkeys(stays.values()):
        first, *others = sorted(str(path) for path, one in stays.items() if one == why)
        more = f" and {len(others)} other{'s' if others[1:] else ''}" if others else ""
        found.append(f"left: {first}{more}: {why}")
    return found


def main() -> int:
    try:
        for sentence in clean():
            print(shown(sentence))
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be deleted ({error.strerror})") from error
    return 0


if __name__ == "__main__":
    sys.exit(signals.status(main))
