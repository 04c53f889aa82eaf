"""`attnsvm verify [PATH ...]`: name every damaged file; by default in results and figures.

A check that finds nothing to check has failed: a path that is missing, an empty folder, a file without a checksum.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from attnsvm.system import checksums
from attnsvm.system.errors import shown

FOLDERS = ("results", "figures")
Judge = Callable[[Path], tuple[bool, str] | None]


def main(paths: Sequence[str], judge: Judge = lambda path: None, stages: int = 0, failed: int = 0) -> int:
    """Verify files and what is in folders; the exit status: 1 where something is wrong, or where there was nothing.

    Args:
        paths: by default those of FOLDERS that are there.
        judge: whether what a file claims holds, and the sentence that says so; None of a file that claims nothing.
        stages, failed: how many stage files have answers that were judged again and hold, and how many failed.
    """
    compared, judged, wrong = 0, 0, failed
    for path in paths or filter(os.path.isdir, FOLDERS):
        counts = _verified(path, judge)
        if paths and not any(counts) and not stages + failed:
            print(f"{shown(path)}: holds nothing to verify: no answer of attnsvm solve, and no file with its checksum")
            counts = 0, 0, 1
        compared, judged, wrong = compared + counts[0], judged + counts[1], wrong + counts[2]
    if not (compared or judged or wrong or stages):
        print("There is nothing to verify in results and figures: name a file or a folder.")
        return 1
    again = f"answers of {_number(stages + failed, 'stage file')} judged again, " if stages + failed else ""
    files = f"{_number(compared, 'file')} compared, {again}{_number(judged, 'answer file')} judged"
    print(f"{files}: {wrong or 'nothing'} wrong.")
    return 1 if wrong else 0


def _verified(path: str, judge: Judge) -> tuple[int, int, int]:
    """How many files were compared, how many answers judged, and how often something is wrong; says what and why."""
    files, failures = _files(path)
    described = [os.path.realpath(path)] if os.path.islink(path) and os.path.isfile(path) else map(str, files)
    held = [file for file in described if checksums.compared(file)]
    damage = f"damaged ({checksums.DIFFERS}); the next run rebuilds it"
    failures += [f"{file}: {damage}" for file in checksums.differing(held)]
    claims = [claim for file in files if (claim := judge(file))]
    for sentence in (*(sentence for _, sentence in claims), *failures):
        print(shown(sentence))
    return len(held), len(claims), len(failures) + sum(not holds for holds, _ in claims)


def _files(path: str) -> tuple[list[Path], list[str]]:
    """The files that a path means, sorted, and sentences on what cannot be read."""
    if os.path.isdir(path):
        errors: list[OSError] = []
        found = sorted(file for file in checksums.walk(path, errors.append) if os.path.isfile(file))
        return found, [f"{error.filename}: cannot be read ({error.strerror})" for error in errors]
    if os.path.isfile(path):
        return [Path(path)], []
    there = os.path.lexists(path)
    return [], [f"{path}: is no file and no folder" if there else f"{path}: there is no such file or folder"]


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
