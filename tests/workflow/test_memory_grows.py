"""A job that is tried again asks for more memory, and its numbers are those of a job that was not."""

from harness import BUILT, build, clone, snakemake

# Stands before what the script of the jobs does: note what was asked for, and fail the first time.
FAILS_ONCE = """
import pathlib
asked = pathlib.Path("asked")
first = not asked.exists()
with asked.open("a") as file:
    file.write(f"{snakemake.resources.mem_mb} ")
if first:
    raise SystemExit(137)
"""


def test_the_second_attempt_of_a_killed_job_has_twice_the_memory(built, tmp_path):
    folder = clone(built, tmp_path / "again", f"{BUILT}/results", ".snakemake")
    drawn = f"{BUILT}/results/trajectories/seeds-1-1/svm.npz"
    before = (folder / drawn).read_bytes()
    script = folder / "workflow/scripts/job.py"
    script.write_text(FAILS_ONCE + script.read_text())
    (folder / drawn).unlink()
    assert snakemake(folder, drawn).returncode == 1
    (folder / "asked").unlink()
    build(folder, drawn, "--retries", "1")
    assert (folder / "asked").read_text().split() == ["2000", "4000"]
    assert (folder / drawn).read_bytes() == before
