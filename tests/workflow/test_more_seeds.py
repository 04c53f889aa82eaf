"""More seeds train the new ones only, however many there were, and the bytes are those of a run from nothing."""

import pytest
from harness import BUILT, build, clone, dry, jobs, scheduled, snapshot

NAME = "feasibility"  # two blocks of three seeds in the smoke run
TARGET = f"{BUILT}/figures/{NAME}.csv"
MEASURED = f"{BUILT}/results/{NAME}/measures.parquet"  # what is built; the figure follows from it
TABLES = (f"{BUILT}/results/{NAME}/*.csv", f"{BUILT}/results/{NAME}/*.parquet")


def more(count):
    return {"experiments": {NAME: {"problems": {"instances": count}}}}


@pytest.fixture(scope="module")
def grown(built, tmp_path_factory):
    """The finished smoke run, grown from six instances a point to twelve: still few blocks."""
    folder = clone(built, tmp_path_factory.mktemp("more") / "run", f"{BUILT}/results", f"{BUILT}/figures", ".snakemake")
    said = dry(folder, TARGET, extra=more(12))
    assert jobs(said) == {"problems": 2, "svm": 2, "measures": 1, "figure": 1}
    assert "seeds-6-8" in said.stdout
    assert "seeds-0-2: " not in said.stdout
    build(folder, MEASURED, extra=more(12))
    return folder


def test_the_bytes_are_those_of_a_run_from_nothing(grown, tmp_path):
    whole = clone(grown, tmp_path / "whole")
    build(whole, MEASURED, extra=more(12))
    assert snapshot(grown, *TABLES) == snapshot(whole, *TABLES)
    blocks = f"{BUILT}/results/{NAME}/seeds-*/*.npz"
    assert snapshot(grown, blocks) == snapshot(whole, blocks)


def test_beyond_a_few_blocks_each_is_measured_and_none_trained_again(grown):
    said = dry(grown, TARGET, extra=more(18))
    assert jobs(said) == {"problems": 2, "svm": 2, "measures_of_block": 6, "measures": 1, "figure": 1}


def test_fewer_seeds_train_nothing(grown):
    assert scheduled(dry(grown, TARGET)) == {("measures", NAME), ("figure", NAME)}


def test_twice_the_blocks_for_twice_the_seeds_on_a_cluster_too(grown):
    """`--set-scatter` says the number: its user doubles it with the seeds, and blocks stay what they are."""
    four = ("--set-scatter", f"{NAME}=4")
    assert jobs(dry(grown, MEASURED, *four, extra=more(12))) == {}
    assert jobs(dry(grown, TARGET, "--set-scatter", f"{NAME}=2", extra=more(12)))["problems"] == 2


def test_another_first_seed_takes_the_blocks_that_it_shares(grown):
    later = {"experiments": {NAME: {"problems": {"instances": 12, "first_seed": 6}}}}
    said = dry(grown, TARGET, extra=later)
    assert jobs(said)["problems"] == 2
    assert "seeds-12-14: draw" in said.stdout
    assert "seeds-6-8: draw" not in said.stdout
