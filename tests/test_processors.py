"""The least of all limits on processors is the one that counts: of the machine, of its scheduler, of control groups."""

import os
import shutil
import subprocess
import sys

import containers
import pytest
from containers import V2
from harness import ROOT

from attnsvm import machine
from attnsvm.command import main

ASK = [sys.executable, "-c", "from attnsvm import machine; print(machine.processors())"]


def second(limit):
    """A group of version 2."""
    return {"cpu.max": limit}


def first(quota, period=100000):
    """A group of version 1."""
    return {"cpu.cfs_quota_us": quota, "cpu.cfs_period_us": period}


V1 = containers.V1.format(controller="cpu,cpuacct", root="/", other="memory")
OWN = "4:memory:/\n3:cpu,cpuacct:/job/7\n"
CASES = {
    "no group": ("", "", {}, 64),
    "no limit": ("0::/a\n", V2, {"a": second("max 100000")}, 64),
    "version 2": ("0::/a\n", V2, {"a": second("300000 100000")}, 3),
    "a part is rounded down": ("0::/a\n", V2, {"a": second("250000 100000")}, 2),
    "less than one is one": ("0::/a\n", V2, {"a": second("20000 100000")}, 1),
    "the group above holds less": ("0::/a/b\n", V2, {"a": second("200000 100000"), "a/b": second("8000 1000")}, 2),
    "version 1": (OWN, V1, {"job/7": first(400000), "job": first(-1)}, 4),
    "version 1, the group above": (OWN, V1, {"job/7": first(-1), "job": first(150000, 50000)}, 3),
    "more than there are": ("0::/a\n", V2, {"a": second("900000000 100000")}, 64),
    "no sense": ("0::/a\n", V2, {"a": second("lots")}, 64),
    "no period": (OWN, V1, {"job": first(100000, 0)}, 64),
}


@pytest.mark.parametrize(("cgroup", "mountinfo", "groups", "left"), CASES.values(), ids=CASES)
def test_the_smallest_limit_holds(cgroup, mountinfo, groups, left, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "PROC", containers.written(tmp_path, cgroup, mountinfo, groups))
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda process: range(64), raising=False)
    assert machine.processors() == left


@pytest.mark.skipif(shutil.which("taskset") is None, reason="taskset is not installed")
def test_processors_taken_away_do_not_count():
    one = str(min(os.sched_getaffinity(0)))
    said = subprocess.run(["taskset", "-c", one, *ASK], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert said == "1\n"


def test_the_share_of_a_container_counts():
    limits = {"cpu.cfs_quota_us": 100000, "cpu.cfs_period_us": 100000}
    assert containers.limited("cpu", limits, ASK).stdout == "1\n"


def test_a_system_without_such_limits_has_its_processors(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "PROC", tmp_path)
    monkeypatch.delattr(machine.os, "sched_getaffinity", raising=False)
    assert machine.processors() == (os.cpu_count() or 1)


def test_inspect_has_a_process_per_processor(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "processors", lambda: 7)
    monkeypatch.setattr("attnsvm.command._inspect", lambda given: given.jobs)
    assert main(["inspect", "model"]) == 7
