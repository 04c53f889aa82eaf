"""Snakemake itself believes a bundle: nothing is to be done in a fresh clone; of more seeds, only the new ones are."""

import subprocess

from harness import BUILT, FEW, NOTHING, build, copy_repository, dry, edited, jobs

from attnsvm.publish.exchange import bundle

NAME = "feasibility"  # two blocks of three seeds in the smoke run
TARGET = f"figures/{NAME}"


def test_a_bundle_is_up_to_date_in_a_fresh_clone_and_a_part_of_a_larger_run(built, tmp_path):
    bundle.write([TARGET], tmp_path / "feasibility.tar.gz", "smoke", built)
    fresh = copy_repository(tmp_path / "fresh", FEW)
    subprocess.run(["tar", "-xf", tmp_path / "feasibility.tar.gz"], cwd=fresh, check=True)
    assert NOTHING in dry(fresh, TARGET).stdout
    more = dry(fresh, f"{BUILT}/{TARGET}.csv", extra={"experiments": {NAME: {"problems": {"instances": 12}}}})
    assert jobs(more) == {"problems": 2, "svm": 2, "measures": 1, "figure": 1}
    assert "seeds-6-8" in more.stdout
    with edited(fresh, {"attnsvm/svm/methods/interior_point.py": lambda text: f"{text}\n_EDITED = 1\n"}):
        assert jobs(dry(fresh, f"{BUILT}/{TARGET}.csv")) == {"svm": 2, "measures": 1, "figure": 1}
    build(fresh, TARGET, extra={"figures": {"dpi": 72}})  # though all is of one old date
