"""Rows of what is measured, row by row."""

import numpy as np

from attnsvm.analysis.measured import all_solved, by_quantity, curves, outcomes
from attnsvm.data.cells import Cell
from attnsvm.svm import Status
from attnsvm.svm.verdict import STATUSES

SEEDS, STEPS = np.array([7, 3]), np.array([0, 10, 20])


def test_outcomes_have_a_row_per_seed():
    cell = Cell(2, 3, 4, (7, 3))
    rows = outcomes(cell, SEEDS, ["measured", "left out"])
    assert list(rows) == ["n", "T", "d", "seed", "outcome"]
    assert rows.to_numpy().tolist() == [[2, 3, 4, 7, "measured"], [2, 3, 4, 3, "left out"]]
    assert outcomes(cell, SEEDS, "measured").outcome.tolist() == ["measured"] * 2
    assert outcomes(cell, [], "measured").empty


def test_curves_have_a_row_per_seed_and_step():
    value, end = np.arange(6).reshape(2, 3) / 7, np.array([0.5, 0.25])
    rows = curves(SEEDS, STEPS, {"value": value, "end": end}, kind="W", d=4)
    assert list(rows) == ["kind", "d", "seed", "step", "value", "end"]
    expected = [["W", 4, SEEDS[s], STEPS[k], value[s, k], end[s]] for s in range(2) for k in range(3)]
    assert rows.to_numpy().tolist() == expected
    assert (rows.seed.dtype, rows.step.dtype) == (np.int64, np.int64)


def test_as_many_steps_as_seeds_do_not_turn_the_values():
    rows = curves(SEEDS, STEPS[:2], {"end": [0.5, 0.25]})
    assert rows.end.tolist() == [0.5, 0.5, 0.25, 0.25]


def test_quantities_come_one_after_another():
    value, end = np.arange(6).reshape(2, 3) / 7, np.array([0.5, 0.25])
    rows = by_quantity(SEEDS, STEPS, {"way": value, "end": end}, kind="W")
    each = [curves(SEEDS, STEPS, {"value": x}, kind="W", quantity=name) for name, x in (("way", value), ("end", end))]
    assert list(rows) == ["kind", "quantity", "seed", "step", "value"]
    assert rows.to_numpy().tolist() == each[0].to_numpy().tolist() + each[1].to_numpy().tolist()


def test_an_instance_is_solved_where_each_of_its_problems_is():
    status = ["solved", "infeasible", "uncertified", "solved"]
    both = {"status": np.array(status)}, {"status": np.array(["solved", "solved", "solved", "uncertified"])}
    assert all_solved(both).tolist() == [True, False, False, False]


def test_the_statuses_are_those_of_the_checker():
    assert set(STATUSES) == {status.value for status in Status}
