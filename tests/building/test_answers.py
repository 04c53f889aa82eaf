"""Certificates are counted by batch, as the checker judged them."""

import numpy as np
import pytest

from attnsvm.building import answers


def batch():
    return {
        "status": np.array(["solved", "infeasible", "uncertified", "solved"]),
        "gap": np.array([1e-12, np.inf, 0.5, 3e-11]),
        "residual": np.array([np.nan, 2e-16, np.nan, np.nan]),
        "W": np.zeros((4, 2, 2)),
    }


def test_certificates_are_counted_by_status_and_solve():
    tree = {"W": {"fro": batch()}, "weights": np.zeros((4, 2, 2))}
    counted = answers.total([answers.count(tree), answers.count(tree), answers.count(batch())]).set_index("solve")
    row = counted.loc["W_fro"]
    assert tuple(row[["solved", "infeasible", "uncertified"]]) == (4, 2, 2)
    assert (row.largest_gap, row.largest_residual) == (3e-11, 2e-16)
    assert counted.loc["all", "solved"] == 2


@pytest.mark.parametrize("name", ["status", "gap", "residual"])
def test_a_batch_that_is_not_whole_is_an_error(name):
    tree = {"W": {key: value for key, value in batch().items() if key != name}}
    with pytest.raises(ValueError, match=f"W: a batch of answers without '{name}'"):
        answers.count(tree)


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_blocks_the_largest_gap_and_residual_are_said(order):
    near, far = batch(), batch() | {"gap": np.full(4, 1e-9), "residual": np.full(4, 1e-10)}
    total = answers.total([answers.count(tree) for tree in (near, far)[::order]]).set_index("solve").loc["all"]
    assert (total.largest_gap, total.largest_residual) == (1e-9, 1e-10)
