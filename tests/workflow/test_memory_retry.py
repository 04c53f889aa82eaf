"""A job that is tried again asks for more memory, and its numbers are those of a job that was not."""

import pytest
from harness import BUILT, build, clone

# Stands before what the script of the jobs does: note what was asked for by one of them, and fail the first time.
FAILS_ONCE = """
import pathlib
asked = pathlib.Path("asked")
first = not asked.exists()
if snakemake.rule == "svm":
    with asked.open("a") as file:
        file.write(f"{snakemake.resources.mem_mb} ")
    if first:
        raise SystemExit(137)
"""


@pytest.mark.parametrize(
    ("given", "asked"),
    [([], ["2000", "4000"]), (["--set-resources", "svm:mem_mb=1000+500*attempt"], ["1500", "2000"])],
    ids=["the rule's", "a function"],
)
def test_the_second_attempt_of_a_killed_job_has_more_memory(given, asked, built, tmp_path):
    """That of the rule has twice as much; what a user sets is taken as it is."""
    folder = clone(built, tmp_path / "again", f"{BUILT}/results", ".snakemake")
    drawn = f"{BUILT}/results/trajectories/seeds-1-1/svm.npz"
    before = (folder / drawn).read_bytes()
    script = folder / "workflow/scripts/job.py"
    script.write_text(FAILS_ONCE + script.read_text())
    (folder / drawn).unlink()
    build(folder, drawn, "--retries", "1", *given)
    assert (folder / "asked").read_text().split() == asked
    assert (folder / drawn).read_bytes() == before
