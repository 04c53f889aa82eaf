"""Between-workflow caching: two clones, one cache; the second takes every block from there."""

import os
import re

import pytest
from harness import BUILT, build, clone, snapshot

FIGURES = ("trajectories", "feasibility")
TARGETS = [f"{BUILT}/figures/{name}.csv" for name in FIGURES]
CUT = ("--set-scatter", "feasibility=2")  # two blocks of the same settings must not be taken for one
STAGES = {"problems", "descent", "svm"}


def taken(run):
    """The blocks' files that a run took from the cache."""
    return set(re.findall(r"Symlinking output file (\S+) from cache", run.stdout))


def made(run):
    """The blocks' files that a run computed and gave to the cache."""
    return set(re.findall(r"Moving output file (\S+) to cache", run.stdout))


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return os.environ | {"SNAKEMAKE_OUTPUT_CACHE": str(tmp_path_factory.mktemp("cache"))}


@pytest.fixture(scope="module")
def first(built, tmp_path_factory, environment):
    folder = clone(built, tmp_path_factory.mktemp("first") / "clone")
    run = build(folder, *TARGETS, "--cache", *CUT, environment=environment)
    assert len(made(run)) == 3 + 2 * 2  # trajectories: three stages; feasibility: two stages of two blocks
    return folder


@pytest.fixture(scope="module")
def second(first, built, tmp_path_factory, environment):
    folder = clone(built, tmp_path_factory.mktemp("second") / "clone")
    run = build(folder, *TARGETS, "--cache", *CUT, environment=environment)
    assert made(run) == set()
    assert len(taken(run)) == 7
    return folder


def test_the_second_clone_computes_no_block(second):
    logs = [path.read_text() for stage in STAGES for path in (second / BUILT / "results/logs").rglob(f"{stage}.log")]
    assert set(logs) <= {""}  # Snakemake makes the files; a stage that runs says at least its name


def test_both_clones_have_the_numbers_of_a_run_without_a_cache(first, second, built):
    expected = snapshot(built, *TARGETS)
    assert snapshot(first, *TARGETS) == snapshot(second, *TARGETS) == expected


def test_a_changed_setting_is_computed(second, environment):
    changed = {"experiments": {"trajectories": {"descent": {"learning_rate": 0.2}}}}
    run = build(second, TARGETS[0], "--cache", extra=changed, environment=environment)
    assert {os.path.basename(path) for path in made(run)} == {"descent.npz", "svm.npz"}


def test_a_changed_setting_goes_back_to_the_cache_and_no_old_checksum_is_in_the_way(second, environment):
    run = build(second, TARGETS[0], "--cache", environment=environment)
    assert made(run) == set()
    assert "damaged" not in run.stdout
    assert "damaged" not in build(second, TARGETS[0], "-n").stdout


def test_without_the_option_nothing_is_said_of_a_cache(second):
    assert "cach" not in build(second, *TARGETS, *CUT, "-n").stdout.lower()
