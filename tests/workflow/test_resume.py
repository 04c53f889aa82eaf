"""Kills, locks and full disks: the figures are those of an undisturbed run, or there are none."""

import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest
from harness import BUILT, PRODUCTS, build, clone, of_these, snakemake, snapshot, start

from attnsvm.pipeline import ending
from attnsvm.system import checksums

# Two figures that are quick to build, one that trains and one that only solves.
FIGURES = "trajectories", "feasibility"
TARGETS = tuple(f"figures/{name}" for name in FIGURES)
TABLES = tuple(f"{BUILT}/results/{name}/measures.parquet" for name in FIGURES)
FULL = {"results": 64, "figures": 16}  # kB, less than the runs write


@pytest.fixture(scope="module")
def workshop(built, tmp_path_factory):
    """A folder for runs from nothing, and the final bytes of a run of TARGETS that nothing disturbed."""
    folder = clone(built, tmp_path_factory.mktemp("workshop") / "run")
    return folder, of_these(snapshot(built, *PRODUCTS), *FIGURES)


def empty(folder):
    for name in (BUILT, ".snakemake"):
        shutil.rmtree(folder / name, ignore_errors=True)


def leftovers(folder):
    return list((folder / BUILT).rglob("*.tmp"))


def damaged(folder):
    return checksums.damaged([folder / BUILT])


def kill(process):
    """SIGKILL to all of a run that was started in a session of its own; its output."""
    os.killpg(process.pid, signal.SIGKILL)
    output, _ = process.communicate()
    return output


def finished(folder):
    return snapshot(folder, *PRODUCTS)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 24))])
def test_a_killed_run_resumes_to_the_same_bytes(workshop, seed):
    """Killed up to half a second after a random one of its files was there: in a job, between two, while one writes."""
    folder, expected = workshop
    empty(folder)
    chance = random.Random(seed)
    wanted, delay = chance.randrange(len(expected) * 3 // 4), chance.uniform(0, 0.5)
    process = start(folder, *TARGETS, start_new_session=True, stdout=subprocess.DEVNULL)
    while len(finished(folder)) < wanted:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(delay)
    kill(process)
    left = finished(folder)
    assert left != expected, "the run was over before it was killed"
    assert left.items() <= expected.items()
    assert damaged(folder) == []  # what has its name is whole
    assert snakemake(folder, "--unlock").returncode == 0
    build(folder, *TARGETS)
    assert finished(folder) == expected
    assert leftovers(folder) == []


def test_a_killed_run_leaves_a_lock_that_is_explained_and_taken_away_once(workshop):
    folder, _ = workshop
    empty(folder)
    process = start(folder, TARGETS[1], start_new_session=True)
    wait_for_lock(folder, process)
    kill(process)
    run = snakemake(folder, TARGETS[1])
    assert run.returncode != 0
    assert run.stdout.splitlines()[-1] == ending.UNLOCK
    assert snakemake(folder, "--unlock").returncode == 0
    assert ending.UNLOCK not in snakemake(folder, "-n", TARGETS[1]).stdout


def test_an_interrupted_run_ends_with_one_sentence_and_a_whole_one_with_what_it_wrote(workshop):
    folder, _ = workshop
    empty(folder)
    process = start(folder, TARGETS[0], start_new_session=True)
    wait_for_lock(folder, process)
    while not list(folder.glob(f"{BUILT}/results/trajectories/*/problems.npz")):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert (output.splitlines()[-1], "Error in rule" in output) == (ending.INTERRUPTED, False), output
    last = snakemake(folder, TARGETS[0]).stdout.splitlines()[-1]
    assert re.fullmatch(rf"written: {BUILT}/figures/trajectories.png, .pdf, .csv \(\d+ more\)", last)


def test_a_second_run_in_the_same_folder_is_refused_and_the_first_goes_on(workshop):
    folder, expected = workshop
    empty(folder)
    with start(folder, TABLES[1]) as first:
        wait_for_lock(folder, first)
        second = snakemake(folder, TABLES[1])
        assert second.returncode != 0
        assert ending.UNLOCK in second.stdout
        assert first.poll() is None
        output, _ = first.communicate()
    assert first.returncode == 0, output
    assert finished(folder).items() <= expected.items()
    assert (folder / TABLES[1]).exists()


def wait_for_lock(folder, process):
    while process.poll() is None and not list(folder.glob(".snakemake/locks/*.output.lock")):
        time.sleep(0.02)
    assert process.poll() is None


@pytest.mark.parametrize("top", ["results", pytest.param("figures", marks=pytest.mark.slow)])
def test_a_full_disk_ends_with_a_sentence_and_the_next_run_completes(workshop, small_disk, top):
    folder, expected = workshop
    empty(folder)
    targets = TARGETS if top == "figures" else TABLES
    disk = folder / BUILT / top
    small_disk(disk, f"size={FULL[top]}k")
    (disk / "here").touch()  # Snakemake removes a folder that a failed job leaves empty, which no mount allows
    run = snakemake(folder, *targets)
    assert run.returncode != 0
    assert "cannot be written (No space left on device); free space or make the folder writable" in run.stdout
    assert "Traceback" not in run.stdout
    assert leftovers(folder) == []
    assert damaged(folder) == []
    small_disk(disk, "size=100m")
    build(folder, *targets)
    wanted = {path: data for path, data in expected.items() if top == "figures" or f"/{top}/" in path}
    assert finished(folder) == wanted
