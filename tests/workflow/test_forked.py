"""Tests fork Snakemake and its jobs where they can: a fork says and does what a start says and does."""

import os
import re
import subprocess
import sys

import pytest
from forked import SERVER, THREADS
from harness import BUILT, NOTHING, clone, snakemake, snapshot, start


def plain(text):
    """Without times, names made at random, and the folder of Snakemake's import, which only the heading says."""
    text = re.sub(r"\d+:\d\d:\d\d\.?\d*|\d{4}-\d\d-\d\dT?|\.\d{6}\.|\w{3} \w{3} +\d+ *\d{4}", "", text)
    return re.sub(r"extra-\d+|tmp\w+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|Run directory: .*", "", text)


def started(folder, *arguments):
    with start(folder, *arguments) as process:
        output, _ = process.communicate()
    return process.returncode, plain(output)


def forked(folder, *arguments):
    run = snakemake(folder, *arguments)
    return run.returncode, plain(run.stdout)


@pytest.mark.parametrize(
    "arguments",
    [("figures/all", "-n"), ("figures/nothing", "-n"), ("--list-target-rules",), ("help",)],
)
def test_a_fork_says_what_a_start_says(built, arguments):
    said = forked(built, *arguments)
    assert said == started(built, *arguments)
    assert len(said[1]) > 10


def test_forks_one_after_another_know_nothing_of_one_another(built, tmp_path):
    """Each takes the package, the configuration and the working folder of its own house."""
    other = clone(built, tmp_path / "other")
    card = other / "attnsvm/experiments/paper/trajectories/card.yaml"
    card.write_text(card.read_text().replace("title:", "titel:", 1))
    assert snakemake(built, "-n").returncode == 0
    refused = snakemake(other, "-n")
    assert refused.returncode == 1
    assert "titel" in refused.stdout
    assert NOTHING in snakemake(built, "figures/trajectories", "-n").stdout


def test_a_fork_builds_the_same_bytes(built, tmp_path):
    """Of figures and of every other experiment: test_whole_house.py, whose other side one plain process makes."""
    table = f"{BUILT}/results/feasibility/measures.parquet"
    folders = [clone(built, tmp_path / name) for name in ("forked", "started")]
    assert forked(folders[0], table)[0] == started(folders[1], table)[0] == 0
    kinds = [f"{BUILT}/results/feasibility/**/*.{kind}" for kind in ("csv", "npz", "parquet")]
    first, second = (snapshot(folder, *kinds) for folder in folders)
    assert first == second
    assert len(first) > 3


ENDS = {
    "well": "",
    "status": "sys.exit(3)",
    "words": "sys.exit('error: words')",
    "error": "raise KeyError('missing')",
    "signal": "os.kill(os.getpid(), 15)",
    "kill": "os.kill(os.getpid(), 9)",
    "thread": "threading.Timer(0.2, print, ['at the end of a thread']).start()",
    "atexit": "atexit.register(print, 'at the very end')",
}
SCRIPT = """
import atexit, os, sys, threading
print(__name__, sys.argv, sys.path[:2], os.getcwd(), os.environ.get("OF_THE_JOB"), "pandas" in sys.modules, flush=True)
print(sys.stdin.read())
"""


def job(interpreter, script, **environment):
    """The status of a script, what it prints, and the last line of its errors."""
    environment = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(script.parent / "house")} | environment
    given = {"env": environment, "cwd": script.parent, "input": "given", "capture_output": True, "text": True}
    run = subprocess.run([interpreter, str(script)], check=False, **given)
    return run.returncode, run.stdout, run.stderr.splitlines()[-1:]


@pytest.mark.parametrize("how", ENDS)
def test_a_forked_job_ends_as_a_started_one(tmp_path, how):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + ENDS[how])
    status, printed, said = job(sys.executable, script)
    assert job(SERVER.jobs, script) == (status, printed.replace("False", "True"), said)
    assert printed.startswith(f"__main__ ['{script}'] ['{tmp_path}', '{tmp_path}/house'] {tmp_path} None False\ngiven")


def test_a_job_with_another_environment_is_not_forked(tmp_path):
    """Libraries read it when they are loaded."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert " of this job False" in job(SERVER.jobs, script, OF_THE_JOB="of this job")[1]
