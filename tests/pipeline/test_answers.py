"""Certificates are counted by batch, as the checker judged them."""

import re

import numpy as np
import pytest

from attnsvm.pipeline import answers
from attnsvm.system.errors import UserError


def batch():
    return {
        "status": np.array(["solved", "infeasible", "uncertified", "solved", "remote"]),
        "gap": np.array([1e-12, np.inf, 0.5, 3e-11, np.inf]),
        "low": np.array([1.0, np.inf, 0.0, 2.0, 1e9]),
        "arithmetic": np.array(["floating", "rational", "", "rational", "floating"]),
        "W": np.zeros((5, 2, 2)),
    }


def counted(*trees):
    return answers.total([answers.count(tree, "cone") for tree in trees], "cone").set_index("solve")


def test_certificates_are_counted_by_status_and_solve():
    tree = {"W": {"fro": batch()}, "weights": np.zeros((4, 2, 2))}
    found = counted(tree, tree, batch())
    row = found.loc["W_fro"]
    assert tuple(row[["solved", "infeasible", "remote", "uncertified", "rational"]]) == (4, 2, 2, 2, 4)
    assert row.largest_gap == 3e-11
    assert found.loc["all", "solved"] == 2


@pytest.mark.parametrize("name", ["status", "gap", "low", "arithmetic"])
def test_a_batch_that_is_not_whole_is_an_error(name):
    tree = {"W": {key: value for key, value in batch().items() if key != name}}
    with pytest.raises(ValueError, match=f"W: a batch of answers without '{name}'"):
        answers.count(tree, "cone")


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_blocks_the_largest_gap_is_said(order):
    near, far = batch(), batch() | {"gap": np.full(5, 1e-9)}
    assert counted(*(near, far)[::order]).loc["all"].largest_gap == 1e-9


@pytest.mark.parametrize("gap", [1.1e-7, 1.0, np.inf, np.nan])
def test_a_solved_answer_with_a_gap_above_the_tolerance_is_an_error(gap):
    loose = batch()
    loose["gap"][3] = gap
    said = re.escape(f"has a relative gap of {gap:.1e}, and the tolerance is 1e-07")
    with pytest.raises(UserError, match=f"^cone, W: .* {said}"):
        answers.count({"W": loose}, "cone")


def test_the_gap_of_what_is_not_solved_may_be_any():
    loose = batch() | {"status": np.full(5, "uncertified")}
    found = counted(loose).loc["all"]
    assert (found.solved, found.uncertified) == (0, 5)
    assert np.isnan(found.largest_gap)
