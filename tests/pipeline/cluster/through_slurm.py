"""Snakemake with profiles/slurm on the test cluster, and jobs that a test holds in the middle."""

import os
import re
import signal
import time

import harness
from harness import BUILT

# What this cluster needs beyond the profile: it keeps no accounts, and its jobs are short and its file system local.
HERE = (
    *("--profile", "profiles/slurm", "--latency-wait", "10"),
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5"),
)
# Stands before what the script of the jobs does.
HOLD = """
import os, pathlib, time
if snakemake.params.job == STAGE:
    pathlib.Path("began", os.environ.get("SLURM_JOB_ID", "local") + f".{os.getpid()}").touch()
    while pathlib.Path("hold").exists():
        time.sleep(0.05)
"""


def submit(cluster, folder, *arguments, **options):
    """Start Snakemake with profiles/slurm in a process group of its own, its output in `folder`/output."""
    with open(folder / "output", "wb") as out:
        return harness.start(
            folder,
            *arguments,
            *HERE,
            environment=cluster.environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
            # A shell's background job ignores Ctrl-C, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **options,
        )


def finish(process, folder, seconds=180):
    """(exit status, output) of a Snakemake that was started in `folder`."""
    try:
        process.wait(seconds)
    finally:
        if process.poll() is None:
            kill(process)
    return process.returncode, (folder / "output").read_text()


def kill(process):
    """SIGKILL to a Snakemake and what it runs beside itself; its jobs in the queue know nothing of it."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(condition, seconds=60, what=lambda: ""):
    """What `condition` answers once it is true; what() is said where it never is."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < end, f"not within {seconds} s: {what()}"
        time.sleep(0.1)
    return answer


def hold(folder, stage):
    """From now on the jobs of a stage say that they began, and stand still until they are let go."""
    script = folder / "workflow/scripts/job.py"
    script.write_text(HOLD.replace("STAGE", repr(stage)) + script.read_text())
    (folder / "began").mkdir()
    (folder / "hold").touch()


def let_go(folder):
    (folder / "hold").unlink()


def began(folder):
    """[SLURM's job id] of every job of the stage that began, as often as it did."""
    return [path.name.partition(".")[0] for path in sorted((folder / "began").iterdir())]


def wait_until_held(folder, process, count, seconds=120):
    """Wait until so many jobs stand still."""

    def held():
        assert process.poll() is None, (folder / "output").read_text()
        return len(began(folder)) >= count

    wait_for(held, seconds, lambda: (folder / "output").read_text())


def product(folder, experiment):
    """{path: bytes} of what a disturbed run must have in common with another: the blocks, the tables, the csv."""
    files = harness.snapshot(folder, f"{BUILT}/figures/{experiment}.csv", f"{BUILT}/results/{experiment}/**/*.npz")
    assert f"{BUILT}/figures/{experiment}.csv" in files
    return files


def reported(job, output):
    """Whether the output names a cancelled job: SLURM's own line, from the log that Snakemake shows."""
    return re.search(rf"JOB {job} ON \w+ CANCELLED AT", output) is not None
