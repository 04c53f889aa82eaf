"""By night: Snakemake builds every experiment at smoke scale, and has the bytes of the run in one process.

By day it builds those in `harness.FEW`; tests/experiments and tests/plots look at all, made in one process.
"""

import in_process
import pytest
from harness import BUILT, NOTHING, build, copy_repository, dry, snapshot

from attnsvm.publish.exchange import bundle, unbundle

TIMED = (".json", ".json.sha256")  # provenance holds times


@pytest.mark.slow
def test_snakemake_builds_every_experiment_as_one_process_does(tmp_path):
    folder, everything = (copy_repository(tmp_path / name) for name in ("house", "alone"))
    build(folder)
    in_process.run_all(everything, {*in_process.FIGURES})
    patterns = [f"{BUILT}/results/**/*.*", f"{BUILT}/figures/*.*"]
    ours, theirs = snapshot(folder, *patterns), snapshot(everything, *patterns)
    ours = {path: data for path, data in ours.items() if "/benchmarks/" not in path and "/logs/" not in path}
    assert {path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)} <= {
        path for path in ours if path.endswith(TIMED)
    }
    assert NOTHING in dry(folder).stdout
    packed, fresh = tmp_path / "all.tar.zst", copy_repository(tmp_path / "fresh")
    bundle.write(["figures/all", "audit"], packed, "smoke", folder)
    unbundle.read(packed, fresh)
    assert NOTHING in dry(fresh).stdout


def test_a_dry_run_plans_every_experiment(everything):
    """And what one process has made is up to date: records of Snakemake's or none, the files are the same."""
    assert NOTHING in dry(everything).stdout
