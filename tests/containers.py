"""Limits of containers: what Linux would say of them, and processes that live under one."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness import ROOT

V2 = "41 31 0:38 / TREE rw,relatime shared:1 - cgroup2 cgroup2 rw\n"
V1 = "35 31 0:32 {root} TREE rw,relatime - cgroup cgroup rw,{controller}\n"
V1 += "34 31 0:31 / TREE-other rw - cgroup cgroup rw,{other}\n"


def written(folder, cgroup, mountinfo, groups):
    """A folder as /proc, given what its files say and the control groups {folder: {file: text}}."""
    proc, tree = folder / "proc", folder / "tree"
    (proc / "self").mkdir(parents=True)
    (proc / "self/cgroup").write_text(cgroup)
    (proc / "self/mountinfo").write_text(mountinfo.replace("TREE", str(tree)))
    for name, contents in groups.items():
        (tree / name).mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (tree / name / file).write_text(f"{text}\n")
    return proc


@contextmanager
def group(controller, limits):
    """The folder of a control group with these limits {file: value}; skipped where none can be made."""
    folder = Path(f"/sys/fs/cgroup/{controller}/attnsvm-test-{os.getpid()}")
    try:
        folder.mkdir()
        for name, value in limits.items():
            (folder / name).write_text(str(value))
    except OSError as error:
        pytest.skip(f"no control group of version 1 can be made here: {error}")
    try:
        yield folder
    finally:
        folder.rmdir()


def limited(controller, limits, command):
    """A command that has run in a control group."""
    with group(controller, limits) as folder:
        enter = ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"]
        return subprocess.run([*enter, *command], cwd=ROOT, capture_output=True, text=True, check=False)
