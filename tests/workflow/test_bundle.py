"""Snakemake itself believes a bundle: nothing is to be done in a fresh clone; of more seeds, only the new ones are."""

import yaml
from harness import FEW, NOTHING, copy_repository, dry, jobs

from attnsvm.publish.exchange import bundle, unbundle

NAME = "feasibility"  # two blocks of three seeds in the smoke run
TARGET = f"figures/{NAME}"


def test_a_bundle_is_up_to_date_in_a_fresh_clone_and_a_part_of_a_larger_run(built, tmp_path):
    packed = tmp_path / "feasibility.tar.zst"
    bundle.write([TARGET], packed, "smoke", built)
    fresh = copy_repository(tmp_path / "fresh", FEW)
    unbundle.read(packed, fresh)
    run = dry(fresh, TARGET)
    assert NOTHING in run.stdout
    assert "missing metadata" not in run.stdout
    more = {"experiments": {NAME: {"problems": {"instances": 12}}}}
    larger = copy_repository(tmp_path / "larger", FEW)
    (tmp_path / "more.yaml").write_text(yaml.safe_dump(more))
    assert not unbundle.read(packed, larger, configfile=tmp_path / "more.yaml").whole
    said = dry(larger, f"smoke/{TARGET}.csv", extra=more)
    assert jobs(said) == {"problems": 2, "svm": 2, "measures": 1, "figure": 1}
    assert "seeds-6-8" in said.stdout
