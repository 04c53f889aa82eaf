"""The smoke pipeline through profiles/slurm, on a real SLURM cluster of two nodes: same numbers, nothing left behind.

Two figures, in fewer blocks than the profile's, because a job costs some seconds under SLURM whatever it does.
"""

import os
import signal
import time

import harness
import pandas as pd
import pytest
import slurm_cluster
import through_slurm
from harness import BUILT
from through_slurm import finish, reported, start, wait_for_job

pytestmark = pytest.mark.cluster

FIGURES = ("local_convergence", "multi_token")
BLOCKS = {"local_convergence": 2, "multi_token": 2}
SCATTER = ("--set-scatter", *(f"{name}={count}" for name, count in BLOCKS.items()))
TARGETS = tuple(f"figures/{figure}" for figure in FIGURES)


def submit(cluster, folder, *arguments, scatter=SCATTER, **options):
    """Start Snakemake with profiles/slurm, in few blocks."""
    return through_slurm.submit(cluster, folder, *arguments, *scatter, **options)


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


def test_missing_executables_are_named(monkeypatch, tmp_path):
    (tmp_path / "sbatch").touch(mode=0o755)
    monkeypatch.setattr(slurm_cluster, "SEARCH", str(tmp_path))
    assert set(slurm_cluster.missing()) == {*slurm_cluster.DAEMONS, *slurm_cluster.COMMANDS} - {"sbatch"}
    with pytest.raises(slurm_cluster.ClusterError, match=r"^SLURM is not installed: munged, .* not found\.$"):
        slurm_cluster.SlurmCluster(tmp_path).start()


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
    folder, _ = remote
    status, output = finish(start(folder, *TARGETS, "-n", *SCATTER), folder)
    assert status == 0
    assert harness.NOTHING in output


def test_a_cancelled_job_is_reported_or_retried_and_the_next_run_completes(cluster, local, fresh):
    target = "figures/local_convergence"
    run = submit(cluster, fresh, target, "--retries", "0")
    cancelled = wait_for_job(cluster, fresh, run)
    cluster.command("scancel", cancelled)
    status, output = finish(run, fresh)
    assert status == 1
    assert reported(cancelled, output), output
    assert not (fresh / BUILT / "figures/local_convergence.csv").exists()

    run = submit(cluster, fresh, target)
    again = wait_for_job(cluster, fresh, run)
    cluster.command("scancel", again)
    status, output = finish(run, fresh)
    assert status == 0, output
    assert reported(again, output), output
    assert "Trying to restart job" in output
    ours, theirs = (pd.read_csv(base / BUILT / "figures/local_convergence.csv") for base in (fresh, local))
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-9, atol=1e-12)


def test_ctrl_c_leaves_no_job_behind(cluster, fresh):
    """Six jobs that would take for ever, two of them still waiting for a node."""
    endless = {"experiments": {"local_convergence": {"descent": {"steps": 10**9, "log_every": 10**9}}}}
    scatter = ("--set-scatter", "local_convergence=6")
    run = submit(cluster, fresh, "figures/local_convergence", scatter=scatter, extra=endless)
    wait_for_job(cluster, fresh, run)
    wait_for_job(cluster, fresh, run, "PENDING")
    time.sleep(3)  # so that all are submitted, and some train
    ours = {job for job, _, _ in cluster.queue()}
    assert len(ours) == 6
    os.killpg(run.pid, signal.SIGINT)
    status, output = finish(run, fresh, 60)
    assert status != 0
    assert cluster.wait_until_idle(15), cluster.queue()
    assert {state for job, state, _ in cluster.queue("all") if job in ours} == {"CANCELLED"}, output
    status, output = finish(start(fresh, "figures/local_convergence", "-n"), fresh)
    assert status == 0, output
