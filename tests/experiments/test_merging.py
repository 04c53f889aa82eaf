"""Merged tokens: the margins and the pairs by their definition, and what is drawn."""

import numpy as np
import pytest

from attnsvm.svm import separation, solve

SMALL = {"problems": {"n": 2, "T": 4, "d": 6, "instances": 4}, "descent": {"steps": 300}}


def shorter(X, name):
    """Tokens (n, 4, d) as two."""
    if name == "half":
        return X[:, ::2]
    merged = (X[:, ::2] + X[:, 1::2]) / 2
    return merged / np.linalg.norm(merged, axis=2, keepdims=True) if name == "merged unit" else merged


def test_margins_and_pairs_are_their_definition(run):
    found = run.table.set_index(["variant", "seed"])
    for _, s, p, t, _ in run.each():
        X, Z, seed = p["tokens"][s], p["queries"][s], p["seeds"][s]
        whole = solve(separation(X, Z, t["attention"][s]))
        for name in ("merged", "merged unit", "half"):
            row, selected = found.loc[name, seed], t[name][s]
            own = solve(separation(shorter(X, name), Z, selected))
            assert row.margin == pytest.approx(np.linalg.norm(whole.W) / np.linalg.norm(own.W), rel=1e-6)
            assert row["same"] == np.mean(selected == t["attention"][s] // 2)
