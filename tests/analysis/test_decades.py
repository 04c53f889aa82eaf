"""How near runs come over the last decade of steps."""

import numpy as np
import pandas as pd
import pytest

from attnsvm.analysis.decades import approach, before
from attnsvm.analysis.statistics import MEAN, MEDIAN, SHARE, mean, median

STEPS = (1, 12, 100)
ROWS = pd.DataFrame(
    [
        {"rule": rule, "quantity": "distance", "seed": seed, "step": step, "value": start / step ** (seed % 4)}
        for rule, start in (("b", 1.0), ("a", 2.0))
        for seed in range(1, 9)
        for step in STEPS
    ]
)


@pytest.mark.parametrize(("steps", "found"), [(STEPS, 12), ((5,), 5), ((1, 30, 50, 900), 50), ((1, 20, 50, 1000), 50)])
def test_the_step_before_is_nearest_to_a_tenth_of_the_last(steps, found):
    assert before(np.array(steps)) == found


def test_runs_stand_above_what_they_are_together():
    found = approach(ROWS, ["rule"])
    single, together = found[found.seed.notna()], found[found.seed.isna()]
    assert (single[ROWS.columns].astype(ROWS.dtypes) == ROWS).all(axis=None)
    assert list(together.rule) == ["b"] * 4 + ["a"] * 4
    earlier, end, share, middle = together[:4].itertuples()
    values = {step: ROWS[(ROWS.rule == "b") & (ROWS.step == step)].value for step in STEPS}
    for row, step, of, interval in (
        (earlier, 12, median, MEDIAN),
        (end, 100, median, MEDIAN),
        (middle, 100, mean, MEAN),
    ):
        numbers = row.value, row.low, row.high, row.instances, row.interval
        assert numbers == tuple(of(values[step].reset_index(drop=True)).values())
        assert (row.quantity, row.step, row.interval) == ("distance", step, interval)
        assert (row.tail, row.largest) == (values[step].quantile(0.95), values[step].max())
    # Two of eight seeds stand still.
    assert (share.quantity, share.value, share.interval, share.step) == ("nearer", 0.75, SHARE, 100)


def test_a_run_of_one_step_comes_no_nearer():
    found = approach(ROWS[ROWS.step == 1], ["rule"])
    assert list(found[found.seed.isna()].interval) == [MEAN] * 2
