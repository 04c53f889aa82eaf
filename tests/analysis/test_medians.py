"""Rows of medians and shares: their order, their columns, and the intervals of the two."""

import numpy as np
import pandas as pd

from attnsvm.analysis.medians import largest, means, medians, middles, quartiles, with_means
from attnsvm.analysis.statistics import (
    MEAN,
    MEDIAN,
    MIDDLE,
    QUARTILES,
    SHARE,
    mean_share,
    median_interval,
    sample_interval,
    share_interval,
    wilson,
)

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
    assert list(found) == ["run", "quantity", "value", "low", "high", "instances", "interval", "largest"]
    for _, row in found.iterrows():
        values = INSTANCES.query("run == @row.run and quantity == @row.quantity")["value"].to_numpy()
        expected = wilson(7, 20) if row["quantity"] == "won" else median_interval(values)
        assert (row["value"], row["low"], row["high"]) == expected
        assert row["interval"] == (SHARE if row["quantity"] == "won" else MEDIAN)
        assert (row["largest"], row["instances"]) == (values.max(), 20)


def test_a_share_may_be_a_mean_of_shares_and_nothing_is_one_unless_it_is_said():
    found = medians(INSTANCES, ["quantity"], "won".__eq__, mean_share).set_index("quantity")
    values = INSTANCES.query("quantity == 'won'")["value"].to_numpy()
    assert tuple(found.loc["won", ["value", "low", "high"]]) == share_interval(values)
    assert medians(INSTANCES, ["quantity"]).set_index("quantity").loc["won", "value"] == 0.0
    assert medians(INSTANCES, ["run"])["run"].tolist() == ["b", "a"]  # no quantity is asked after


def test_quartiles_are_those_of_each_group():
    found = quartiles(INSTANCES.groupby(["run", "quantity"], sort=False)["value"], mean="mean")
    assert list(found) == ["run", "quantity", "value", "low", "high", "instances", "mean", "interval"]
    assert set(found["interval"]) == {QUARTILES}
    values = INSTANCES.query("run == 'b' and quantity == 'norm'")["value"]
    expected = [values.median(), values.quantile(0.25), values.quantile(0.75), values.mean(), 20]
    assert found.loc[0, ["value", "low", "high", "mean", "instances"]].tolist() == expected


def test_means_and_the_middle_of_instances_have_intervals_of_their_own():
    groups = INSTANCES.groupby(["run", "quantity"], sort=False)["value"]
    values = INSTANCES.query("run == 'b' and quantity == 'norm'")["value"]
    for found, name, numbers in (
        (means(groups), MEAN, sample_interval(values)),
        (middles(groups), MIDDLE, (values.mean(), values.quantile(0.16), values.quantile(0.84))),
    ):
        assert set(found["interval"]) == {name}
        np.testing.assert_allclose(found.loc[0, ["value", "low", "high"]].astype(float), numbers, rtol=1e-14)
        assert list(found["instances"]) == [20] * 4


def test_the_means_stand_below_for_the_last_step_of_each_run():
    """Which is another one for each run."""
    rows = pd.DataFrame({"run": list("aaaabbbbbb"), "step": [1, 1, 2, 2, 1, 1, 2, 2, 9, 9], "value": np.arange(10.0)})
    found = with_means(quartiles, rows, ["run", "step"])
    assert list(found["interval"]) == [QUARTILES] * 5 + [MEAN] * 2
    assert found.iloc[5:][["run", "step", "value"]].to_numpy().tolist() == [["a", 2, 2.5], ["b", 9, 8.5]]


def test_a_missing_value_is_no_instance():
    rows = pd.DataFrame({"run": ["a"] * 3, "value": [1.0, np.nan, 3.0]})
    (found,) = quartiles(rows.groupby("run")["value"]).itertuples()
    assert (found.value, found.instances) == (2.0, 2)
