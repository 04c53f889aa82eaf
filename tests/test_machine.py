"""The least of all limits is the one that counts: of the machine, its scheduler and shell, and of control groups."""

import math
import os
import re
import shutil
import subprocess
import sys

import containers
import pytest
from containers import V2
from harness import ROOT

from attnsvm.command import main
from attnsvm.system import machine

GB = 10**9
ASK = [sys.executable, "-c", "from attnsvm.system import machine; print(machine.processors())"]


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function that writes what Linux would say of groups {folder: {file: text}}, of free memory, of processors."""

    def write(cgroup, mountinfo, groups, free=64 * GB):
        proc = containers.written(tmp_path, cgroup, mountinfo, groups)
        (proc / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {free // 1024} kB\n")
        monkeypatch.setattr(machine, "PROC", proc)
        monkeypatch.setattr(machine.os, "sched_getaffinity", lambda process: range(64), raising=False)

    return write


def mem_2(limit, used=0, cached=0):
    """A group of version 2."""
    return {"memory.max": limit, "memory.current": used, "memory.stat": f"anon 5\ninactive_file {cached}"}


def mem_1(limit, used=0, cached=0):
    """A group of version 1."""
    files = {"memory.limit_in_bytes": limit, "memory.usage_in_bytes": used}
    return files | {"memory.stat": f"inactive_file 7\ntotal_inactive_file {cached}\ntotal_active_file 0"}


MEMORY = containers.V1.format(controller="memory", root="{root}", other="cpu")
BOTH = "0::/\n4:memory:/job/7\n3:cpu:/job/7\n"
OF_MEMORY = {
    "no group": ("", "", {}, 64 * GB),
    "no limit": ("0::/a\n", V2, {"a": mem_2("max")}, 64 * GB),
    "version 2": ("0::/a\n", V2, {"a": mem_2(2 * GB, GB)}, GB),
    "cached files are given back": ("0::/a\n", V2, {"a": mem_2(2 * GB, 2 * GB, GB)}, GB),
    "the group above holds less": ("0::/a/b\n", V2, {"a": mem_2(3 * GB), "a/b": mem_2(4 * GB)}, 3 * GB),
    "a container's root": ("0::/\n", V2, {".": mem_2(2 * GB)}, 2 * GB),
    "a group beside the root": ("0::/../b\n", V2, {".": mem_2(2 * GB)}, 2 * GB),
    "version 1": (BOTH, MEMORY.format(root="/"), {"job/7": mem_1(3 * GB, GB), "job": mem_1(2**63 - 4096)}, 2 * GB),
    "version 1 seen from inside": (BOTH, MEMORY.format(root="/job/7"), {".": mem_1(3 * GB, GB)}, 2 * GB),
    "more is used than there is": ("0::/a\n", V2, {"a": mem_2(GB, 2 * GB)}, 0),
    "no sense": ("0::/a\n", V2, {"a": {"memory.max": "lots"}}, 64 * GB),
}


def cpu_2(limit):
    """A group of version 2."""
    return {"cpu.max": limit}


def cpu_1(quota, period=100000):
    """A group of version 1."""
    return {"cpu.cfs_quota_us": quota, "cpu.cfs_period_us": period}


PROCESSORS = containers.V1.format(controller="cpu,cpuacct", root="/", other="memory")
OWN = "4:memory:/\n3:cpu,cpuacct:/job/7\n"
OF_PROCESSORS = {
    "no group": ("", "", {}, 64),
    "no limit": ("0::/a\n", V2, {"a": cpu_2("max 100000")}, 64),
    "version 2": ("0::/a\n", V2, {"a": cpu_2("300000 100000")}, 3),
    "a part is rounded down": ("0::/a\n", V2, {"a": cpu_2("250000 100000")}, 2),
    "less than one is one": ("0::/a\n", V2, {"a": cpu_2("20000 100000")}, 1),
    "the group above holds less": ("0::/a/b\n", V2, {"a": cpu_2("200000 100000"), "a/b": cpu_2("8000 1000")}, 2),
    "version 1": (OWN, PROCESSORS, {"job/7": cpu_1(400000), "job": cpu_1(-1)}, 4),
    "version 1, the group above": (OWN, PROCESSORS, {"job/7": cpu_1(-1), "job": cpu_1(150000, 50000)}, 3),
    "more than there are": ("0::/a\n", V2, {"a": cpu_2("900000000 100000")}, 64),
    "no sense": ("0::/a\n", V2, {"a": cpu_2("lots")}, 64),
    "no period": (OWN, PROCESSORS, {"job": cpu_1(100000, 0)}, 64),
}


@pytest.mark.parametrize(("cgroup", "mountinfo", "groups", "left"), OF_MEMORY.values(), ids=OF_MEMORY)
def test_the_smallest_limit_on_memory_holds(cgroup, mountinfo, groups, left, system):
    system(cgroup, mountinfo, groups)
    assert machine.memory() == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize(("cgroup", "mountinfo", "groups", "left"), OF_PROCESSORS.values(), ids=OF_PROCESSORS)
def test_the_smallest_limit_on_processors_holds(cgroup, mountinfo, groups, left, system):
    system(cgroup, mountinfo, groups)
    assert machine.processors() == left


def test_the_machine_holds_where_it_has_less(system):
    system("0::/a\n", V2, {"a": mem_2(4 * GB)}, free=GB)
    assert machine.memory() == pytest.approx(GB, rel=1e-6)


def test_a_system_that_says_nothing_has_what_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "PROC", tmp_path)
    monkeypatch.delattr(machine.os, "sched_getaffinity", raising=False)
    assert 1e6 < machine.memory() <= math.inf
    assert machine.processors() == (os.cpu_count() or 1)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_limit_of_a_shell_holds():
    text = "from attnsvm.system import machine; print(machine.memory())"
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


@pytest.mark.skipif(shutil.which("taskset") is None, reason="taskset is not installed")
def test_processors_taken_away_do_not_count():
    one = str(min(os.sched_getaffinity(0)))
    said = subprocess.run(["taskset", "-c", one, *ASK], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert said == "1\n"


def test_the_share_of_a_container_counts():
    limits = {"cpu.cfs_quota_us": 100000, "cpu.cfs_period_us": 100000}
    assert containers.limited("cpu", limits, ASK).stdout == "1\n"


def test_inspect_has_a_process_per_processor(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "processors", lambda: 7)
    monkeypatch.setattr("attnsvm.command._inspect", lambda given: given.jobs)
    assert main(["inspect", "model"]) == 7
