"""(K, Q) under one norm: the two rules start alike and go apart, and every instance is drawn."""

import numpy as np
import pytest
from by_hand import cosine
from drawing import assert_drawn

from attnsvm.experiments.own.normalisation.one_norm import figure

SMALL = {"problems": {"n": 3, "T": 4, "d": 4, "instances": 4}, "descent": {"steps": 500, "points": 8}}


def test_the_distance_is_that_from_the_nuclear_solution(run):
    found = run.table.set_index(["normalisation", "seed", "step"]).value
    for _, p, t, solved in run.cells:
        for rule, own in t.items():
            for k, seed in enumerate(p["seeds"]):
                for step, W in zip(own["KQ"]["steps"], own["KQ"]["weights"][k], strict=True):
                    expected = 1 - cosine(W, solved[rule]["KQ"]["W"][k])
                    assert found[rule, seed, step] == pytest.approx(expected, abs=1e-9)


def test_the_rules_start_alike_and_go_apart(run):
    for _, _, t, _ in run.cells:
        separate, joint = (t[rule]["KQ"]["weights"] for rule in ("separate", "joint"))
        assert not np.allclose(separate[:, -1], joint[:, -1], rtol=1e-3)
        lengths = [np.linalg.norm(W, axis=(1, 2)) for W in (separate[:, 0], joint[:, 0])]
        np.testing.assert_allclose(*lengths, rtol=0.5)


def test_every_instance_is_drawn(run):
    assert_drawn(figure.draw, run.table, run.table[run.table.seed.notna()][["step", "value"]])
