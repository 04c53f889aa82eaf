"""A cluster that fails: nodes, the controller, memory, the shared disk, Snakemake. What the run leaves, or the next one
completes, has the bytes of a local run that nothing disturbed.

Jobs are held in the middle (`through_slurm.hold`), so that a fault hits what it is meant to, however slow the machine.
"""

import re
import time

import harness
import pytest
from harness import BUILT
from through_slurm import HERE, began, finish, hold, kill, let_go, product, reported, submit, wait_for, wait_until_held

pytestmark = pytest.mark.cluster

EXPERIMENT = "local_convergence"
TARGET = f"figures/{EXPERIMENT}"
BLOCKS = 2
SCATTER = ("--set-scatter", f"{EXPERIMENT}={BLOCKS}")
SAVED = 6  # seconds; the controller writes down what it knows every five


@pytest.fixture(scope="module")
def undisturbed(cluster, built):
    """The bytes of a local run; the card asks for as many blocks."""
    return product(built, EXPERIMENT)


@pytest.fixture
def folder(built, tmp_path):
    """A copy of the repository with nothing built; whatever happens, no job stands still afterwards."""
    yield harness.clone(built, tmp_path / "attnsvm")
    (tmp_path / "attnsvm/hold").unlink(missing_ok=True)


@pytest.fixture
def whole(cluster):
    """The cluster, brought back and with an empty queue when the test is over, for the next test."""
    yield cluster
    for name, process in cluster.processes.items():
        if process.poll() is not None:
            cluster.bring_back(name)
    wait_for(lambda: cluster.command("scontrol", "ping", check=False).count("UP"), 30)
    if jobs := [job for job, _, _ in cluster.queue()]:
        cluster.command("scancel", *jobs, check=False)
    cluster.wait_until_ready(60)


def run(cluster, folder, *arguments):
    """Start the run that is to be disturbed, or the next one."""
    return submit(cluster, folder, TARGET, *SCATTER, *arguments)


def held(cluster, folder, *arguments, stage="descent"):
    """A run whose jobs all stand still in the middle."""
    hold(folder, stage)
    process = run(cluster, folder, *arguments)
    wait_until_held(folder, process, BLOCKS)
    return process


def completes(process, folder, undisturbed, seconds=300):
    """What a run said that ended well, and with the right bytes."""
    status, output = finish(process, folder, seconds)
    assert status == 0, output
    assert product(folder, EXPERIMENT) == undisturbed
    assert list((folder / BUILT).rglob("*.tmp")) == []
    return output


def lose(cluster, node):
    """SIGKILL to all that runs on a node: its daemon, and every step of a job there with its processes."""
    jobs = [job for job, _, at in cluster.queue("RUNNING") if at == node]
    steps = {step for job in jobs for step in cluster.steps(job, node)}
    cluster.kill(node)
    for step in steps:
        for process in (step, *step.children(recursive=True)):  # the parent first: it says nothing of its children
            process.kill()
    return jobs


@pytest.mark.slow
def test_a_lost_node_costs_its_jobs_a_try(whole, folder, undisturbed):
    process = held(whole, folder)
    lost = lose(whole, "n1")
    assert lost
    wait_for(lambda: {"NODE_FAIL"} == {now for job, now, _ in whole.queue("all") if job in lost}, 120)
    whole.bring_back("n1")
    let_go(folder)
    output = completes(process, folder, undisturbed)
    assert "Trying to restart job" in output
    assert len(began(folder)) == BLOCKS + len(lost)  # nobody else paid


@pytest.mark.slow
def test_a_controller_that_is_killed_and_restarted_is_not_noticed(whole, folder, undisturbed):
    process = held(whole, folder)
    before = whole.queue()
    time.sleep(SAVED)
    whole.kill("slurmctld")
    time.sleep(2)
    whole.bring_back("slurmctld")
    # A step that begins before its node has reported is put off for two minutes (srun, SlurmctldTimeout).
    wait_for(lambda: set(whole.command("sinfo", "-h", "-N", "-o", "%T").split()) <= {"allocated", "mixed"}, 30)
    time.sleep(SAVED)
    assert sorted(whole.queue()) == sorted(before)
    let_go(folder)
    output = completes(process, folder, undisturbed)
    assert "Error" not in output
    assert len(began(folder)) == BLOCKS  # none done twice


@pytest.fixture
def no_sacct(cluster):
    """SLURM without accounting where `sacct` is not even installed: the plugin looks for it with `which`."""
    which = cluster.folder / "bin/which"
    which.write_text('#!/bin/sh\n[ "$1" != sacct ] && exec /usr/bin/which "$@"\n')
    which.chmod(0o755)
    yield
    which.unlink()


@pytest.mark.slow
def test_a_controller_may_be_away_for_a_minute(whole, no_sacct, folder, undisturbed):
    """Jobs end meanwhile, and it is asked for them in vain."""
    process = held(whole, folder, stage="svm")
    time.sleep(SAVED)
    whole.kill("slurmctld")
    let_go(folder)
    time.sleep(75)
    whole.bring_back("slurmctld")
    completes(process, folder, undisturbed)
    assert len(began(folder)) == BLOCKS


@pytest.mark.slow
def test_a_job_that_a_forgetful_controller_lets_wait_is_cancelled_and_tried_again(whole, folder, undisturbed):
    """What ended seconds before the controller was killed, it may take for running: the job's next step waits."""
    process = held(whole, folder)
    whole.kill("slurmctld")
    whole.bring_back("slurmctld")
    wait_for(lambda: len(whole.queue()) == BLOCKS, 30)
    let_go(folder)
    time.sleep(45)
    for job, _, _ in whole.queue("RUNNING"):
        whole.command("scancel", job)
    completes(process, folder, undisturbed)


def test_after_a_full_disk_a_killed_snakemake_and_too_little_memory_a_run_completes(
    whole, folder, undisturbed, small_disk
):
    """Three runs in one folder: each goes on where the one before it was stopped, and the last one to the end."""
    small_disk(folder / BUILT / "results", "size=4m")
    the_disk_is_full_and_a_job_is_cancelled(whole, folder)
    snakemake_is_killed_and_its_jobs_are_cancelled_by_name(whole, folder)
    a_job_killed_for_memory_gets_more_and_a_cancelled_one_another_try(whole, folder, undisturbed)


def the_disk_is_full_and_a_job_is_cancelled(cluster, folder):
    """The folder that all nodes write into is full while a job runs, and is freed; no job is tried again."""
    disk = folder / BUILT / "results"
    (disk / "here").touch()  # Snakemake removes a folder that a failed job leaves empty, which no mount allows
    process = held(cluster, folder, "--retries", "0")
    cancelled = began(folder)[0]
    cluster.command("scancel", cancelled)
    fill(disk / "ballast")
    let_go(folder)
    status, output = finish(process, folder)
    assert status == 1, output
    assert "cannot be written (No space left on device); free space or make the folder writable" in output
    assert reported(cancelled, output), output
    assert "Trying to restart job" not in output
    assert output.count("Error in group") == BLOCKS, output
    assert not (folder / BUILT / f"{TARGET}.csv").exists()
    (disk / "ballast").unlink()


def snakemake_is_killed_and_its_jobs_are_cancelled_by_name(cluster, folder):
    """While they stand still; they live on, and the folder stays locked."""
    process, _ = held_again(cluster, folder, BLOCKS)
    name = killed(cluster, folder, process)
    refused = harness.snakemake(folder, TARGET, *SCATTER, *HERE, environment=cluster.environment)
    assert refused.returncode != 0
    assert "snakemake --unlock" in refused.stdout
    cluster.command("scancel", "--name", name)
    assert cluster.wait_until_idle(30), cluster.queue()
    harness.build(folder, "--unlock")


# Stands before what a script does: takes memory, in one block alone, and says which job was given what.
GREEDY = """
if snakemake.params.job == "descent" and snakemake.wildcards.block == {block!r}:
    import os, pathlib, time
    with pathlib.Path("given").open("a") as file:
        file.write(f"{{os.environ['SLURM_JOB_ID']}} {{snakemake.resources.mem_mb}}\\n")
    taken = bytearray(b"x") * (2500 * 2**20)
    time.sleep(6)  # SLURM looks every second
    del taken
"""


def a_job_killed_for_memory_gets_more_and_a_cancelled_one_another_try(cluster, folder, undisturbed):
    """2000 MB were asked for; SLURM kills the step that takes 2500, and the next try asks for 4000."""
    block = next(path.split("/")[-2] for path in undisturbed if path.endswith("descent.npz"))
    script = folder / "workflow/scripts/job.py"
    script.write_text(GREEDY.format(block=block) + script.read_text())
    before = len(began(folder))
    process, (cancelled,) = held_again(cluster, folder, 1)  # the other block's: the greedy one does not come so far
    cluster.command("scancel", cancelled)
    let_go(folder)
    output = completes(process, folder, undisturbed)
    ended = {job["JobId"]: job for job in cluster.finished()}
    given = [line.split() for line in (folder / "given").read_text().splitlines()]
    assert [mb for _, mb in given] == ["2000", "4000"]
    assert re.search("[Ee]xceeded (job )?memory limit", output), output
    assert all(f"mem={mb}M" in ended[job]["Tres"] for job, mb in given), ended
    assert cancelled not in dict(given)
    assert ended[cancelled]["JobState"] == "CANCELLED"
    assert reported(cancelled, output), output
    assert output.count("Trying to restart job") == 2, output
    assert len(began(folder)) == before + 3  # that block twice, and the greedy one when it has its memory


def held_again(cluster, folder, count):
    """The next run in a folder, when so many of its jobs stand still too; and those."""
    (folder / "hold").touch()
    before = began(folder)
    process = run(cluster, folder)
    wait_until_held(folder, process, len(before) + count)
    return process, {*began(folder)} - {*before}


def fill(path):
    """Write until nothing more can be written."""
    with open(path, "wb", buffering=0) as file:
        for size in (2**16, 2**10, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


def run_id(output):
    return re.search(r"SLURM run ID: (\S+)", output)[1]


def killed(cluster, folder, process):
    """The SLURM run id of a Snakemake that is killed while its jobs stand still; they live on."""
    kill(process)
    assert [now for _, now, _ in cluster.queue()] == ["RUNNING"] * BLOCKS
    return run_id((folder / "output").read_text())


@pytest.mark.slow
def test_jobs_of_a_killed_snakemake_that_nobody_cancelled_disturb_no_byte(whole, folder, undisturbed):
    """Orphans and the jobs of the next run train the same blocks at the same time, and write the same files."""
    killed(whole, folder, held(whole, folder))
    harness.build(folder, "--unlock")
    process = run(whole, folder)
    wait_until_held(folder, process, 2 * BLOCKS)
    assert len({job for job, _, _ in whole.queue("RUNNING")}) == 2 * BLOCKS
    let_go(folder)
    output = completes(process, folder, undisturbed)
    assert whole.wait_until_idle(60)
    assert product(folder, EXPERIMENT) == undisturbed, output
