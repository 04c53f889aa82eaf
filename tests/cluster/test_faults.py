"""A cluster that fails: nodes, the controller, memory, the shared disk, Snakemake. What the run leaves, or the next one
completes, has the bytes of a local run that nothing disturbed.

Jobs are held in the middle (`through_slurm.hold`), so that a fault hits what it is meant to, however slow the machine.
"""

import re
import time

import harness
import pytest
from harness import BUILT
from through_slurm import (
    began,
    finish,
    hold,
    kill,
    let_go,
    product,
    start,
    submit,
    wait_for,
    wait_until_held,
)

pytestmark = pytest.mark.cluster

EXPERIMENT = "local_convergence"
TARGET = f"figures/{EXPERIMENT}"
BLOCKS = 2
SCATTER = ("--set-scatter", f"{EXPERIMENT}={BLOCKS}")
SAVED = 6  # seconds; the controller writes down what it knows every five


@pytest.fixture(scope="module")
def undisturbed(cluster, built, tmp_path_factory):
    """The bytes of a local run in as many blocks."""
    folder = harness.clone(built, tmp_path_factory.mktemp("undisturbed") / "attnsvm")
    harness.build(folder, TARGET, *SCATTER)
    return product(folder, EXPERIMENT)


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


# Stands before what a script does: takes memory, in one block alone, and says what the job was given.
GREEDY = """
if snakemake.wildcards.block == {block!r}:
    import pathlib, time
    with pathlib.Path("given").open("a") as file:
        file.write(f"{{snakemake.resources.mem_mb}} ")
    taken = bytearray(b"x") * (2500 * 2**20)
    time.sleep(6)  # SLURM looks every second
    del taken
"""


def test_a_job_killed_for_memory_gets_more(whole, folder, undisturbed):
    """2000 MB were asked for; SLURM kills the step that takes 2500, and the next try asks for 4000."""
    block = next(path.split("/")[-2] for path in undisturbed if path.endswith("descent.npz"))
    script = folder / "workflow/scripts/descent.py"
    script.write_text(GREEDY.format(block=block) + script.read_text())
    output = completes(run(whole, folder), folder, undisturbed)
    assert (folder / "given").read_text().split() == ["2000", "4000"]
    assert re.search("[Ee]xceeded (job )?memory limit", output), output
    memory = {job["JobState"]: job["Tres"] for job in whole.finished()[-BLOCKS - 1 :]}
    assert "mem=4000M" in str(memory), memory


def test_a_full_disk_is_said_and_the_next_run_completes(whole, folder, undisturbed, small_disk):
    """The folder that all nodes write into is full while two jobs run, and is freed."""
    disk = folder / BUILT / "results"
    small_disk(disk, "size=4m")
    (disk / "here").touch()  # Snakemake removes a folder that a failed job leaves empty, which no mount allows
    process = held(whole, folder, "--retries", "0")
    fill(disk / "ballast")
    let_go(folder)
    status, output = finish(process, folder)
    assert status == 1, output
    assert "cannot be written (No space left on device); free space or make the folder writable" in output
    assert not (folder / BUILT / f"{TARGET}.csv").exists()
    (disk / "ballast").unlink()
    completes(run(whole, folder), folder, undisturbed)


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


def killed(cluster, folder):
    """The SLURM run id of a Snakemake that was killed while its jobs stood still; they live on."""
    process = held(cluster, folder)
    kill(process)
    assert [now for _, now, _ in cluster.queue()] == ["RUNNING"] * BLOCKS
    return run_id((folder / "output").read_text())


def unlock(folder):
    status, output = finish(start(folder, "--unlock"), folder)
    assert status == 0, output


def test_after_snakemake_was_killed_its_jobs_are_cancelled_by_name_and_the_next_run_completes(
    whole, folder, undisturbed
):
    name = killed(whole, folder)
    status, output = finish(run(whole, folder), folder)
    assert status != 0
    assert "Directory cannot be locked" in output
    whole.command("scancel", "--name", name)
    assert whole.wait_until_idle(30), whole.queue()
    unlock(folder)
    let_go(folder)
    completes(run(whole, folder), folder, undisturbed)


@pytest.mark.slow
def test_jobs_of_a_killed_snakemake_that_nobody_cancelled_disturb_no_byte(whole, folder, undisturbed):
    """Orphans and the jobs of the next run train the same blocks at the same time, and write the same files."""
    killed(whole, folder)
    unlock(folder)
    process = run(whole, folder)
    wait_until_held(folder, process, 2 * BLOCKS)
    assert len({job for job, _, _ in whole.queue("RUNNING")}) == 2 * BLOCKS
    let_go(folder)
    output = completes(process, folder, undisturbed)
    assert whole.wait_until_idle(60)
    assert product(folder, EXPERIMENT) == undisturbed, output
