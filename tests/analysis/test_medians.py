"""Rows of medians and shares: their order, their columns, and the intervals of the two."""

import numpy as np
import pandas as pd

from attnsvm.analysis.medians import largest, medians
from attnsvm.analysis.statistics import median_interval, quartiles, share_interval, wilson

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
    found = medians(INSTANCES, ["run", "quantity"], "won".__eq__, largest=largest)
    assert found[["run", "quantity"]].agg(" ".join, axis=1).tolist() == ["b norm", "b won", "a norm", "a won"]
    assert list(found) == ["run", "quantity", "value", "low", "high", "largest", "instances"]
    for _, row in found.iterrows():
        values = INSTANCES.query("run == @row.run and quantity == @row.quantity")["value"].to_numpy()
        expected = wilson(7, 20) if row["quantity"] == "won" else median_interval(values)
        assert (row["value"], row["low"], row["high"]) == expected
        assert (row["largest"], row["instances"]) == (values.max(), 20)


def test_a_share_may_be_a_mean_of_shares_and_nothing_is_one_unless_it_is_said():
    found = medians(INSTANCES, ["quantity"], "won".__eq__, share_interval).set_index("quantity")
    values = INSTANCES.query("quantity == 'won'")["value"].to_numpy()
    assert tuple(found.loc["won", ["value", "low", "high"]]) == share_interval(values)
    assert medians(INSTANCES, ["quantity"]).set_index("quantity").loc["won", "value"] == 0.0
    assert medians(INSTANCES, ["run"])["run"].tolist() == ["b", "a"]  # no quantity is asked after


def test_quartiles_are_those_of_each_group():
    found = quartiles(INSTANCES.groupby(["run", "quantity"], sort=False)["value"], mean="mean")
    assert list(found) == ["run", "quantity", "median", "low", "high", "mean", "instances"]
    values = INSTANCES.query("run == 'b' and quantity == 'norm'")["value"]
    expected = [values.median(), values.quantile(0.25), values.quantile(0.75), values.mean(), 20]
    assert found.loc[0, ["median", "low", "high", "mean", "instances"]].tolist() == expected
