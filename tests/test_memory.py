"""The least of all limits on memory is the one that counts: of the machine, of control groups, of the shell."""

import math
import re
import subprocess
import sys

import containers
import pytest
from containers import V2
from harness import ROOT

from attnsvm import machine

GB = 10**9


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function that writes what Linux would say of groups {folder: {file: text}}, and of free memory."""

    def write(cgroup, mountinfo, groups, free=64 * GB):
        proc = containers.written(tmp_path, cgroup, mountinfo, groups)
        (proc / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {free // 1024} kB\n")
        monkeypatch.setattr(machine, "PROC", proc)

    return write


def second(limit, used=0, cached=0):
    """A group of version 2."""
    return {"memory.max": limit, "memory.current": used, "memory.stat": f"anon 5\ninactive_file {cached}"}


def first(limit, used=0, cached=0):
    """A group of version 1."""
    files = {"memory.limit_in_bytes": limit, "memory.usage_in_bytes": used}
    return files | {"memory.stat": f"inactive_file 7\ntotal_inactive_file {cached}\ntotal_active_file 0"}


V1 = containers.V1.format(controller="memory", root="{root}", other="cpu")
BOTH = "0::/\n4:memory:/job/7\n3:cpu:/job/7\n"
CASES = {
    "no group": ("", "", {}, 64 * GB),
    "no limit": ("0::/a\n", V2, {"a": second("max")}, 64 * GB),
    "version 2": ("0::/a\n", V2, {"a": second(2 * GB, GB)}, GB),
    "cached files are given back": ("0::/a\n", V2, {"a": second(2 * GB, 2 * GB, GB)}, GB),
    "the group above holds less": ("0::/a/b\n", V2, {"a": second(3 * GB), "a/b": second(4 * GB)}, 3 * GB),
    "a container's root": ("0::/\n", V2, {".": second(2 * GB)}, 2 * GB),
    "a group beside the root": ("0::/../b\n", V2, {".": second(2 * GB)}, 2 * GB),
    "version 1": (BOTH, V1.format(root="/"), {"job/7": first(3 * GB, GB), "job": first(2**63 - 4096)}, 2 * GB),
    "version 1 seen from inside": (BOTH, V1.format(root="/job/7"), {".": first(3 * GB, GB)}, 2 * GB),
    "more is used than there is": ("0::/a\n", V2, {"a": second(GB, 2 * GB)}, 0),
    "no sense": ("0::/a\n", V2, {"a": {"memory.max": "lots"}}, 64 * GB),
}


@pytest.mark.parametrize(("cgroup", "mountinfo", "groups", "left"), CASES.values(), ids=CASES)
def test_the_smallest_limit_holds(cgroup, mountinfo, groups, left, system):
    system(cgroup, mountinfo, groups)
    assert machine.memory() == pytest.approx(left, rel=1e-6)


def test_the_machine_holds_where_it_has_less(system):
    system("0::/a\n", V2, {"a": second(4 * GB)}, free=GB)
    assert machine.memory() == pytest.approx(GB, rel=1e-6)


def test_a_system_that_says_nothing_has_what_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "PROC", tmp_path)
    assert 1e6 < machine.memory() <= math.inf


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_limit_of_a_shell_holds():
    text = "from attnsvm import machine; print(machine.memory())"
    command = ["sh", "-c", f"ulimit -v 1000000; exec {sys.executable} -c '{text}'"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert 1e8 < float(said) < 1000000 * 1024


def test_a_solve_beyond_the_limit_of_a_container_is_a_sentence():
    """The machine has more than this group may take, which the kernel would end."""
    text = (
        "import numpy as np; from attnsvm import AttentionSVM; X = np.random.default_rng(0).normal(size=(2000, 6, 90));"
        " AttentionSVM().fit(X, X[:, 0], np.zeros(2000, int))"
    )
    run = containers.limited("memory", {"memory.limit_in_bytes": 400 * 10**6}, [sys.executable, "-c", text])
    assert run.returncode == 1, run
    assert re.search(r"need about \d+\.\d GB, 0\.\d GB are free: take fewer inputs", run.stderr)
