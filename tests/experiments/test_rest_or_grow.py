"""Runs that are not global, trained longer: which go on, which grow, where they end, and what is drawn."""

import numpy as np
import pytest
from by_hand import best_tokens, cosine, separable, winners
from drawing import assert_drawn, told_apart

from attnsvm.experiments.paper.convergence_types.rest_or_grow import figure
from attnsvm.svm import separation, solve

SMALL = {"problems": {"shapes": [[5, 5]], "d": [2], "first_seed": 40, "instances": 16}, "descent": {"steps": 300}}


def test_a_run_has_a_row_unless_it_was_global(run):
    for _, p, t, _ in run.cells:
        optimal = np.array([best_tokens(X, Y, v) for X, Y, v in zip(p["tokens"], p["labels"], p["head"], strict=True)])
        for name, one in t.items():
            names = run.instances.attention + " " + run.instances.parametrisation
            rows = run.instances[names == name]
            assert set(p["seeds"][one["places"]]) == set(rows.seed) & set(p["seeds"])
            ended = (one["first"] == optimal[one["places"]]).all(1) & one["saturated"]
            assert not ended.any()
    assert 0 < len(run.instances) < 4 * 16


def test_every_column_is_its_definition(run):
    found, courses = run.instances.set_index(["attention", "parametrisation", "seed"]), set()
    for _, p, t, _ in run.cells:
        for name, one in t.items():
            attention, parametrisation = name.split()
            for k, s in enumerate(one["places"]):
                X, Y, v = p["tokens"][s], p["labels"][s], p["head"][s]
                Z = X[:, 0] if attention == "self" else p["queries"][s]
                before, W = one["weights"][k]
                row = found.loc[attention, parametrisation, p["seeds"][s]]
                growth = np.linalg.norm(W) / np.linalg.norm(before)
                assert row.growth == pytest.approx(growth)
                course = "grows" if growth >= 20**0.5 else "rests" if abs(growth - 1) <= 0.1 else "between"
                assert row.course == course
                courses.add(course)
                selected = winners(X, W, Z)
                assert (selected == one["last"][k]).all()
                assert row["global"] == (selected == best_tokens(X, Y, v)).all()
                assert row.separable == separable(X, Z, best_tokens(X, Y, v))
                own = solve(separation(X, Z, selected), "nuc" if parametrisation == "KQ" else "fro")
                assert own.solved != np.isnan(row.distance)
                if own.solved:
                    assert row.distance == pytest.approx(1 - cosine(W, own.W), abs=1e-6)
                    assert not row.local or row.distance <= 0.1
                assert not (row.local and not own.solved)
    assert {"grows", "rests"} <= courses


def test_every_run_is_drawn(run):
    table = told_apart(run.table.dropna(subset=["before", "distance"]), "before", "distance")
    places = table[["before", "distance"]].clip(lower=figure.LEAST)
    assert_drawn(figure.draw, table, places)
