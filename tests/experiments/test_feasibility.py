"""Feasibility against linear programming."""

from itertools import product

import numpy as np
from by_hand import best_tokens, separable

from attnsvm.experiments.paper.feasibility.svm import RANDOM_STREAM

SMALL = {"problems": {"shapes": [[3, 3], [2, 5]], "d": [1, 2, 3, 4], "first_seed": 2, "instances": 12}}


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
        assert shares.loc[key, "value"] == np.mean(sample)
        if d >= max(T - 1, n):
            assert shares.loc[key, "value"] == 1
    assert (shares.value == 0).any()
    assert ((shares.value > 0) & (shares.value < 1)).any()
