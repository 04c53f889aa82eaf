"""The regularisation path's table against its definition; the minimiser itself is tested in test_balls.py."""

from itertools import product

import numpy as np
import pytest
from by_hand import best_tokens, cosine, softmax_of

from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 3, "T": 3, "d": 4, "first_seed": 0, "instances": 3},
    "descent": {"smallest": 0.1, "largest": 300, "points": 5, "random_starts": 1},
}


def test_every_row_is_its_definition(run):
    radii = np.geomspace(0.1, 300, 5)
    size = {"fro": lambda A: np.linalg.norm(A), "nuc": lambda A: np.linalg.norm(A, "nuc")}
    rows = {(row.norm, row.seed, k): row for row in run.table.itertuples() for k in [np.abs(radii - row.R).argmin()]}
    assert len(rows) == len(run.table) == 2 * 3 * 5
    for (_, s, p, t, _), (norm, value) in product(run.each(), size.items()):
        X, Z, Y, v = (p[key][s] for key in ("tokens", "queries", "labels", "head"))
        W_mm = solve(separation(X, Z, best_tokens(X, Y, v)), norm).W
        before = np.inf
        for k, radius in enumerate(radii):
            row, W = rows[norm, p["seeds"][s], k], t["balls"][norm]["weights"][s, k]
            assert abs(row.R - radius) <= 1e-12 * radius
            assert value(W) == pytest.approx(radius, rel=1e-10)
            loss = np.mean(
                [np.log1p(np.exp(-y * softmax_of(x, W, z) @ x @ v)) for x, z, y in zip(X, Z, Y, strict=True)]
            )
            assert row.loss == pytest.approx(loss, rel=1e-12)
            # Both directions are known to the root of their gaps.
            assert row.correlation == pytest.approx(cosine(W, W_mm), abs=1e-6)
            assert row.distance == pytest.approx(value(W / value(W) - W_mm / value(W_mm)), abs=1e-6)
            assert row.gap < 1e-5
            assert row.log_excess < before
            before = row.log_excess
        assert row.correlation > 0.999
        assert row.distance < 0.1


def test_the_certificates_of_the_starts_are_counted_too(run):
    counts = run.certificates.set_index("solve").solved
    assert counts[["starts_fro", "starts_nuc", "fro", "nuc"]].tolist() == [3] * 4
