"""What holds for the run of every experiment, at the sizes of the smoke scale.

Found by their cards: a new experiment is tested here without a line about it.
"""

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pandas as pd
import pytest
from harness import BUILT
from running import OUTPUTS, Run, one_apart

from attnsvm.data.problems import Problems
from attnsvm.pipeline import cards
from attnsvm.pipeline.running import reverification, tables

sys.path.append(str(Path(__file__).parents[1] / "svm"))
from exact import hold

EXPERIMENTS = [card.name for card in cards.experiments()]
WRITTEN = {key: f"{key}.csv" for key in OUTPUTS} | {"table": "measures.parquet", "instances": "instances.parquet"}

# How many outcomes an instance has: one for each parametrisation, norm, kind of choice, attention and choice of tokens.
OUTCOMES = {"cone": 2, "convergence_types": 2, "feasibility": 2 * 3, "norm_growth": 1, "regularisation_path": 2}
OUTCOMES |= {"self_convergence_types": 2, "token_count": 2}

EVERY, SMALL = 25, 3000  # answers of which one is taken; constraints times d + e up to which it is asked about


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """`smoke(name)`: the experiment's run, the first seed of a cell alone."""
    done = {}

    def get(name):
        if name not in done:
            done[name] = Run(name, {}, tmp_path_factory.mktemp(name), cut=one_apart, scale="smoke")
        return done[name]

    return get


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_another_split_into_blocks_in_another_folder_gives_the_same_bytes(name, smoke, everything):
    """The pipeline's blocks, a batch of one, where libraries take other ways, and a batch without that one.

    In another process, by Snakemake: tests/workflow/test_whole_house.py.
    """
    for key, path in smoke(name).paths.items():
        assert Path(path).read_bytes() == (everything / BUILT / "results" / name / WRITTEN[key]).read_bytes(), key


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_blocks_measured_each_by_itself_give_the_same_bytes(name, smoke, tmp_path):
    run = smoke(name)
    apart = [{"measures": str(tmp_path / f"{k}.npz")} for k in range(len(run.files))]
    for inputs, own in zip(run.files, apart, strict=True):
        tables.measures_of_block(name, run.settings["measures"], inputs, own["measures"])
    paths = {key: str(tmp_path / key) for key in run.paths}
    tables.measures(name, run.settings["measures"], apart, paths)
    for key, path in paths.items():
        assert Path(path).read_bytes() == Path(run.paths[key]).read_bytes(), key


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_instance_has_as_many_outcomes_as_every_other(name, smoke):
    run = smoke(name)
    cells = {cell.label: cell for cell in run.card.module("problems").cells(run.settings["problems"])}
    found = {label: [] for label in cells}
    for label, problems, trained, solved in run.cells:
        cell, batch = replace(cells[label], seeds=tuple(problems["seeds"].tolist())), Problems.from_arrays(problems)
        ends = run.card.module("measures").measures(cell, batch, trained, solved, run.settings["measures"]).outcomes
        assert set(zip(ends.n, ends["T"], ends.d, strict=True)) == {(cell.n, cell.T, cell.d)}
        found[label] += ends.seed.tolist()
    times = sum(map(len, found.values())) // sum(len(cell.seeds) for cell in cells.values())
    assert times == OUTCOMES.get(name, times) > 0
    for label, seeds in found.items():
        assert sorted(seeds) == sorted(list(cells[label].seeds) * times)
    assert run.outcomes_per_instance() == times


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_nothing_is_left_unproven_and_every_instance_ends_somehow(everything, name):
    folder = everything / BUILT / "results" / name
    proofs = pd.read_csv(folder / "certificates.csv")
    assert proofs.uncertified.sum() == 0
    assert (proofs.largest_gap[proofs.solved > 0] <= 1e-7).all()
    assert proofs.largest_gap[proofs.solved == 0].isna().all()
    assert pd.read_csv(folder / "cells.csv").instances.sum() > 0
    assert pd.read_csv(folder / "outcomes.csv").instances.sum() > 0


def test_a_sample_of_the_answers_is_confirmed_in_exact_arithmetic(everything):
    """Every few of all answers of the build, as their files hold them; those that the oracle soon decides."""
    taken, places = [], count()

    def watch(*one):
        if next(places) % EVERY == 0:
            taken.append(one)

    for path in reverification.files(str(everything / BUILT / "results")):
        reverification.again(path, watch)
    small = [
        (c.factors, c.bound, c.equality, norm, tol, answer)
        for c, norm, tol, answer in taken
        if len(c) * sum(c.shape) <= SMALL and (answer.solved or c.shape[0] * c.shape[1] <= 100)
    ]
    counts = hold(small)
    assert counts.total() >= 100
    assert {status for _, status, _ in counts} >= {"solved", "infeasible"}
