"""The smoke pipeline through profiles/slurm, on a real SLURM cluster of two nodes: same numbers, nothing left behind.

Two figures, in fewer blocks than the profile's, because a job costs some seconds under SLURM whatever it does.
"""

import os
import signal

import harness
import pandas as pd
import pytest
import through_slurm
from harness import BUILT
from through_slurm import finish, hold, wait_until_held

pytestmark = pytest.mark.cluster

FIGURES = ("local_convergence", "multi_token")
BLOCKS = {"local_convergence": 2, "multi_token": 1}
SCATTER = ("--set-scatter", *(f"{name}={count}" for name, count in BLOCKS.items()))
TARGETS = tuple(f"figures/{figure}" for figure in FIGURES)


def submit(cluster, folder, *arguments, scatter=SCATTER):
    """Start Snakemake with profiles/slurm, in few blocks."""
    return through_slurm.submit(cluster, folder, *arguments, *scatter)


@pytest.fixture(scope="module")
def local(cluster, built):
    """A copy of the repository in which the figures were built without SLURM."""
    return built


@pytest.fixture
def fresh(local, tmp_path):
    """That copy, its compiled loop included, with nothing built."""
    return harness.clone(local, tmp_path / "attnsvm")


@pytest.fixture(scope="module")
def remote(cluster, local, tmp_path_factory):
    """(folder, jobs) after the figures were built through SLURM."""
    folder = harness.clone(local, tmp_path_factory.mktemp("remote") / "attnsvm")
    before = len(cluster.finished())  # by the tests of another file
    status, output = finish(submit(cluster, folder, *TARGETS), folder)
    assert status == 0, output
    return folder, cluster.finished()[before:]


def test_every_block_is_one_job_and_both_nodes_work(cluster, remote):
    _, jobs = remote
    assert len(jobs) == sum(BLOCKS.values())
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    assert {job["NodeList"] for job in jobs} == {"n1", "n2"}
    seen = {job: (state, node) for job, state, node in cluster.queue("all")}
    assert all(seen[job["JobId"]] == ("COMPLETED", job["NodeList"]) for job in jobs)


def test_a_job_asks_for_what_its_rules_say(remote):
    """One core, the largest mem_mb of problems, descent and svm, and the sum of their runtimes."""
    _, jobs = remote
    assert all(job["Tres"].startswith("cpu=1,mem=2000M") for job in jobs)
    assert {job["TimeLimit"] for job in jobs} == {"270"}


@pytest.mark.parametrize("figure", FIGURES)
def test_the_numbers_are_those_of_the_local_run(local, remote, figure):
    ours, theirs = (pd.read_csv(base / BUILT / f"figures/{figure}.csv") for base in (remote[0], local))
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-9, atol=1e-12)


def test_what_a_cluster_built_needs_no_cluster(remote):
    assert harness.NOTHING in harness.dry(remote[0], *TARGETS, *SCATTER).stdout


def test_ctrl_c_leaves_no_job_behind(cluster, fresh):
    """Three jobs that stand still for ever; one needs so much memory that two run, and one waits for a node."""
    target, scatter = "figures/local_convergence", ("--set-scatter", "local_convergence=3")
    hold(fresh, "problems")
    run = submit(cluster, fresh, target, "--set-resources", "problems:mem_mb=8000", scatter=scatter)
    wait_until_held(fresh, run, 2)
    ours = {job: state for job, state, _ in cluster.queue()}
    assert sorted(ours.values()) == ["PENDING", "RUNNING", "RUNNING"]
    os.killpg(run.pid, signal.SIGINT)
    status, output = finish(run, fresh, 60)
    assert status != 0
    assert cluster.wait_until_idle(15), cluster.queue()
    assert {state for job, state, _ in cluster.queue("all") if job in ours} == {"CANCELLED"}, output
    harness.dry(fresh, target)
