"""Tests fork Snakemake where they can: it says and does what a start of its own does."""

import re

import pytest
from harness import BUILT, NOTHING, clone, snakemake, snapshot, start


def plain(text):
    """Without times, names made at random, and the folder of Snakemake's import, which only the heading says."""
    text = re.sub(r"\d+:\d\d:\d\d\.?\d*|\d{4}-\d\d-\d\dT?|\.\d{6}\.|\w{3} \w{3} +\d+ *\d{4}", "", text)
    return re.sub(r"extra-\d+|tmp\w+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|Run directory: .*", "", text)


def started(folder, *arguments):
    with start(folder, *arguments) as process:
        output, _ = process.communicate()
    return process.returncode, plain(output)


def forked(folder, *arguments):
    run = snakemake(folder, *arguments)
    return run.returncode, plain(run.stdout)


@pytest.mark.parametrize(
    "arguments",
    [("figures/all", "-n"), ("figures/nothing", "-n"), ("--list-target-rules",), ("help",)],
)
def test_a_fork_says_what_a_start_says(built, arguments):
    said = forked(built, *arguments)
    assert said == started(built, *arguments)
    assert len(said[1]) > 10


def test_forks_one_after_another_know_nothing_of_one_another(built, tmp_path):
    """Each takes the package, the configuration and the working folder of its own house."""
    other = clone(built, tmp_path / "other")
    card = other / "attnsvm/experiments/trajectories/card.yaml"
    card.write_text(card.read_text().replace("title:", "titel:", 1))
    assert snakemake(built, "-n").returncode == 0
    refused = snakemake(other, "-n")
    assert refused.returncode == 1
    assert "titel" in refused.stdout
    assert NOTHING in snakemake(built, "figures/trajectories", "-n").stdout


def test_a_fork_builds_the_same_bytes(built, tmp_path):
    drawn = f"{BUILT}/figures/svm_rank.csv"
    folders = [clone(built, tmp_path / name) for name in ("forked", "started")]
    assert forked(folders[0], drawn)[0] == started(folders[1], drawn)[0] == 0
    first, second = (snapshot(folder, f"{BUILT}/**/*.csv", f"{BUILT}/**/*.npz") for folder in folders)
    assert first == second
    assert len(first) > 3
