"""Snakemake itself believes a bundle: nothing is to be done in a fresh clone; of more seeds, only the new ones are."""

import os
import shutil
import signal

import yaml
from harness import BUILT, FEW, NOTHING, build, copy_repository, dry, edited, jobs, scheduled
from interrupted import ended_at

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


def test_an_edit_reruns_what_it_must_whenever_unbundle_was_killed(built, tmp_path):
    """Whatever has arrived by then, and after a second try, and after older records of the same files."""
    packed, fresh = tmp_path / "feasibility.tar.zst", copy_repository(tmp_path / "fresh", FEW)
    made = bundle.write([TARGET], packed, "smoke", built)
    edit = {"attnsvm/svm/methods/interior_point.py": lambda text: f"{text}\n_EDITED = 1\n"}
    first, solves = f"{BUILT}/results/{NAME}/seeds-0-2/svm.npz", {("svm", NAME), ("measures", NAME), ("figure", NAME)}
    arrived = set()
    for number in (2, 9, 40, 90, 110, 125, 10_000):
        shutil.rmtree(fresh / BUILT, ignore_errors=True)
        end = ended_at(number, signal.SIGKILL, lambda: unbundle.read(packed, fresh))
        assert end == ("done" if number == 10_000 else "killed")
        arrived.add(sum((fresh / path).exists() for path in made.files))
        with edited(fresh, edit):
            assert solves <= scheduled(dry(fresh, TARGET)), number
            if (fresh / first).exists():
                assert "svm" in jobs(dry(fresh, first)), number
        unbundle.read(packed, fresh)
        assert NOTHING in dry(fresh, TARGET).stdout, number
        with edited(fresh, edit):
            assert solves <= scheduled(dry(fresh, TARGET)), number
    assert len(arrived) > 4
    assert {0, len(made.files)} <= arrived


def test_files_from_the_future_are_taken_with_dates_of_today_and_can_be_built_anew(built, tmp_path):
    folder, fresh = shutil.copytree(built, tmp_path / "built"), copy_repository(tmp_path / "fresh", FEW)
    for path in (folder / BUILT).rglob("*"):
        os.utime(path, (4_000_000_000, 4_000_000_000))
    packed = tmp_path / "feasibility.tar.zst"
    bundle.write([TARGET], packed, "smoke", folder)
    unbundle.read(packed, fresh)
    build(fresh, TARGET, extra={"figures": {"dpi": 72}})
