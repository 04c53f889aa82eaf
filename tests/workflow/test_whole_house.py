"""The smoke run of every experiment in one process, which tests/experiments and tests/plots look at, is the pipeline's.

By day for the experiments in `harness.FEW`, by night, when Snakemake builds every one, for all.
"""

import subprocess

import in_process
import pytest
from harness import BUILT, FEW, NOTHING, build, copy_repository, dry, run_python, snapshot

from attnsvm.publish.exchange import bundle


def test_the_jobs_of_snakemake_write_what_the_stages_write_in_one_process(built, everything):
    """So what tests/experiments/test_every_smoke_run.py says of all experiments, it says of the pipeline's files."""
    ours = [f"{BUILT}/results/{name}/**/[!.]*.*" for name in FEW] + [f"{BUILT}/figures/{name}.*" for name in FEW]
    theirs, made = snapshot(built, *ours), snapshot(everything, *ours)
    assert {path for path in theirs if theirs[path] != made.get(path)} <= {*timed(theirs)}
    assert theirs.keys() == made.keys()
    assert len(theirs) > 100


def timed(paths):
    """Those that hold times."""
    return (path for path in paths if path.endswith(".json"))


AUDIT = """
import sys
from attnsvm.pipeline.running import auditing, drawing
from attnsvm.pipeline.configuration import resolve
folder, there = sys.argv[1:]
auditing.claims({kind: f"{there}/{name}" for kind, name in %r.items()}, folder)
drawing.audit_figure(resolve({"scale": "smoke"})["figures"], f"{there}/claims.csv", f"{there}/audit")
"""


def test_the_audit_of_the_same_tables_has_the_same_bytes_in_another_process(everything, tmp_path):
    """Tables and figures: tests/experiments/test_every_smoke_run.py and tests/plots/test_built_figures.py."""
    run_python(AUDIT % in_process.AUDIT, everything / BUILT, tmp_path, PYTHONHASHSEED="7")
    ours = [everything / BUILT / "results/audit" / name for name in in_process.AUDIT.values()]
    ours += [everything / BUILT / f"figures/audit.{kind}" for kind in ("png", "pdf", "svg")]
    assert [path.name for path in ours if path.read_bytes() != (tmp_path / path.name).read_bytes()] == []


@pytest.mark.slow
def test_snakemake_builds_every_experiment_as_one_process_does(tmp_path):
    folder, everything = (copy_repository(tmp_path / name) for name in ("house", "alone"))
    build(folder)
    in_process.run_all(everything, {*in_process.FIGURES})
    patterns = [f"{BUILT}/results/**/[!.]*.*", f"{BUILT}/figures/[!.]*.*"]
    ours, theirs = snapshot(folder, *patterns), snapshot(everything, *patterns)
    ours = {path: data for path, data in ours.items() if "/benchmarks/" not in path and "/logs/" not in path}
    assert {path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)} <= {*timed(ours)}
    assert NOTHING in dry(folder).stdout
    fresh = copy_repository(tmp_path / "fresh")
    bundle.write(["figures/all", "audit"], tmp_path / "all.tar.gz", "smoke", folder)
    subprocess.run(["tar", "-xf", tmp_path / "all.tar.gz"], cwd=fresh, check=True)
    assert NOTHING in dry(fresh).stdout


def test_a_dry_run_plans_every_experiment(everything):
    """And what one process has made is up to date: records of Snakemake's or none, the files are the same."""
    assert NOTHING in dry(everything).stdout
