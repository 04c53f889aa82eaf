"""Rows of medians and shares: their order, their columns, and the intervals of the two."""

import numpy as np
import pandas as pd

from attnsvm.analysis.medians import medians
from attnsvm.analysis.statistics import median_interval, share_interval, wilson

RNG = np.random.default_rng(0)
INSTANCES = pd.DataFrame(
    [
        {"run": run, "quantity": quantity, "value": RNG.normal() if quantity == "norm" else float(seed % 3 == 0)}
        for run in ("b", "a")
        for quantity in ("norm", "won")
        for seed in range(20)
    ]
)  # fmt: skip


def test_groups_come_in_their_order_with_medians_or_shares():
    found = list(medians(INSTANCES, ["run", "quantity"], "won".__eq__))
    assert [(row["run"], row["quantity"]) for row, _ in found] == [
        ("b", "norm"),
        ("b", "won"),
        ("a", "norm"),
        ("a", "won"),
    ]
    for row, of in found:
        assert list(row) == ["run", "quantity", "value", "low", "high"]
        assert len(of) == 20
        values = of["value"].to_numpy()
        expected = wilson(7, 20) if row["quantity"] == "won" else median_interval(values)
        assert (row["value"], row["low"], row["high"]) == expected


def test_a_share_may_be_a_mean_of_shares_and_nothing_is_one_unless_it_is_said():
    row, of = next(
        pair for pair in medians(INSTANCES, ["quantity"], "won".__eq__, share_interval) if pair[0]["quantity"] == "won"
    )
    assert (row["value"], row["low"], row["high"]) == share_interval(of["value"].to_numpy())
    plain = {row["quantity"]: row["value"] for row, _ in medians(INSTANCES, ["quantity"])}
    assert plain["won"] == 0.0
