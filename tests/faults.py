"""Faults that somebody could write, and the tests that notice them: the list is faults.txt.

    python tests/faults.py                 every fault, with the files of tests that are named for it
    python tests/faults.py tape damage     those whose name has one of these words
    python tests/faults.py --of svm tape   with all of tests/svm instead

A fault is put into a copy of the repository, its tests run there, and the fault is taken out again. The tests must pass
without a fault. The exit status is 1 where a fault is not noticed. tests/project/test_seeded_faults.py tests that each
fault can still be put where it belongs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILT = ("results", "smoke", "site", ".snakemake")
LEFT_OUT = (".git", ".venv*", "*.pyc", ".pytest_cache", ".mypy_cache")


class Fault(NamedTuple):
    """One line that is wrong.

    Attributes:
        name: where it is, and what it does.
        old, new: what stands there, once in all of the product, and what stands there instead.
        tests: the names of the files of tests that notice, quickest first.
    """

    name: str
    old: str
    new: str
    tests: tuple[str, ...]


def read(entry):
    """A fault as faults.txt has it."""
    name, *lines, tests = entry.splitlines()
    old, new = ("\n".join(line[2:] for line in lines if line.startswith(mark)) for mark in "-+")
    return Fault(name, old, new, tuple(tests.split()))


_, *ENTRIES = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")
FAULTS = tuple(map(read, ENTRIES))


@cache
def sources(root):
    """{file: its text} of the product, where no fault is in it."""
    files = (path for top in ("attnsvm", "workflow") for path in sorted((root / top).rglob("*")))
    return {path: path.read_text("utf-8") for path in files if path.suffix in (".py", ".smk")}


def places(fault, root=ROOT):
    """The files of the product in which the old text stands, as often as it does."""
    return [path for path, text in sources(root).items() for _ in range(text.count(fault.old))]


def files_of(fault, root=ROOT):
    """The files of tests that are there of those that are named."""
    return [path for name in fault.tests for path in sorted((root / "tests").rglob(name))]


def left_out(folder, names):
    """What a copy of the repository does without."""
    return {*shutil.ignore_patterns(*LEFT_OUT)(folder, names), *(BUILT if Path(folder) == ROOT else ())}


def failed(tests, root):
    """The first test that fails, of a file or folder of the copy in `root`; "" where all pass."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", str(tests)]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):  # 2: a file could not be imported
        raise RuntimeError(f"pytest {tests} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    lines = reversed(run.stdout.splitlines())
    return next(line for line in lines if line.startswith(("FAILED", "ERROR"))) if run.returncode else ""


def noticed(fault, root, asked):
    """The first test that fails with the fault in place; "" where none does."""
    (path,) = places(fault, root)
    before = path.read_text("utf-8")
    path.write_text(before.replace(fault.old, fault.new), "utf-8")
    try:
        return next(filter(None, (failed(tests, root) for tests in asked)), "")
    finally:
        path.write_text(before, "utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only faults whose name has one of these words")
    parser.add_argument("--of", metavar="FOLDER", help="run all of tests/FOLDER instead of the files that are named")
    given = parser.parse_args(arguments)
    chosen = [fault for fault in FAULTS if not given.words or any(word in fault.name for word in given.words)]
    if not chosen:
        parser.error(f"no fault has one of these words in its name: {', '.join(given.words)}")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="attnsvm-faults-") as folder:
        root = Path(folder) / "attnsvm"
        shutil.copytree(ROOT, root, ignore=left_out, symlinks=True)
        sound = set()
        for fault in chosen:
            asked = [root / "tests" / given.of] if given.of else files_of(fault, root)
            for tests in {*asked} - sound:
                if already := failed(tests, root):
                    sys.exit(f"without a fault: {already}")
            sound.update(asked)
            began = time.monotonic()
            found = noticed(fault, root, asked)
            missed += not found
            sys.stdout.write(f"{'caught' if found else 'MISSED'} {time.monotonic() - began:5.0f} s  {fault.name}")
            sys.stdout.write(f"\n               {found}\n" if found else "\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - missed} of {len(chosen)} are noticed\n")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
