"""Feasibility against linear programming."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from drawing import FigureCases
from running import Run, best_tokens, check_nobody_is_missing, check_the_split_into_blocks, separable

from attnsvm.experiments.feasibility import figure
from attnsvm.experiments.feasibility.svm import RANDOM_STREAM

SMALL = {"problems": {"shapes": [[3, 3], [2, 5]], "d": [1, 2, 3, 4], "first_seed": 2, "instances": 12}}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run("feasibility", SMALL, tmp_path_factory.mktemp("feasibility"))


def test_the_split_into_blocks_changes_no_table(run, tmp_path):
    check_the_split_into_blocks(run, Run("feasibility", SMALL, tmp_path, blocks=1))


def test_nobody_is_missing_from_the_outcomes(run):
    check_nobody_is_missing(run, times=6)  # two kinds of attention, three choices of tokens


def test_shares_are_those_of_linear_programming(run):
    separated = {}
    for _, s, p, _, _ in run.each():
        X, Y, v = p["tokens"][s], p["labels"][s], p["head"][s]
        n, T, d = X.shape
        stream = np.random.default_rng([RANDOM_STREAM, p["seeds"][s]])
        alphas = {"optimal": best_tokens(X, Y, v), "worst": best_tokens(X, Y, v, np.argmin)}
        alphas["random"] = stream.integers(T, size=n)
        for (alpha, tokens), (attention, Z) in product(alphas.items(), (("cross", p["queries"][s]), ("self", X[:, 0]))):
            separated.setdefault((n, T, d, attention, alpha), []).append(separable(X, Z, tokens))
    assert len(run.table) == len(separated) == 2 * 4 * 2 * 3
    shares = run.table.set_index(["n", "T", "d", "attention", "alpha"])
    for key, sample in separated.items():
        n, T, d, *_ = key
        assert shares.loc[key, "instances"] == len(sample) == 12
        assert shares.loc[key, "share"] == np.mean(sample)
        if d >= max(T - 1, n):
            assert shares.loc[key, "share"] == 1
    assert (shares.share == 0).any()
    assert ((shares.share > 0) & (shares.share < 1)).any()


class TestFigure(FigureCases):
    draw = figure.draw
    table = pd.DataFrame(
        {"n": n, "T": 5, "d": d, "attention": attention, "alpha": alpha, "share": d / 10 + n / 100, "low": 0, "high": 1}
        | {"instances": 300}
        for n in (5, 10)
        for d in (1, 4, 8)
        for attention in ("cross", "self")
        for alpha in ("optimal", "random", "worst")
    )

    def points(self):
        return self.table[["d", "share"]]
