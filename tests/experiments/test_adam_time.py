"""Adam's pace in closed form against moments that are summed up, and the table."""

import numpy as np
import pytest

from attnsvm.analysis.pace import forgetting, pace, ratio

SMALL = {"problems": {"n": 3, "T": 4, "d": 4, "instances": 4}, "descent": {"steps": 3000, "points": 12}}


@pytest.mark.parametrize(("beta1", "beta2", "g"), [(0.9, 0.99, 0.003), (0.0, 0.9, 0.04), (0.9, 0.999, 4e-4)])
def test_the_step_is_that_of_moments_of_a_gradient_that_falls_evenly(beta1, beta2, g):
    first = second = 0.0
    for step in range(int(60 / g)):
        slope = np.exp(-g * step)
        first, second = beta1 * first + (1 - beta1) * slope, beta2 * second + (1 - beta2) * slope**2
    assert first / np.sqrt(second) == pytest.approx(ratio(g, beta1, beta2), rel=1e-6)


@pytest.mark.parametrize(("beta1", "beta2"), [(0.9, 0.99), (0.0, 0.9)])
def test_both_paces_are_its_asymptotes(beta1, beta2):
    memory = 0.5 * np.log(1 / beta2)
    slow, fast = pace(np.array([memory / 1e3, memory * 1e3]), beta1, beta2)
    assert slow == pytest.approx(memory / 1e3, rel=0.02)
    assert fast == pytest.approx(memory, rel=1e-3)
    middle = pace(np.array([memory]), beta1, beta2)
    assert middle == pytest.approx(memory * ratio(middle, beta1, beta2))
    assert 0 < middle < memory
    # A pace that memory holds back forgets later.
    assert forgetting(np.array([memory * 10]), beta1, beta2) > forgetting(np.array([memory]), beta1, beta2)


def test_the_table_says_how_far_each_run_is_from_both_predictions(run):
    near = []
    for name, rows in run.table.groupby("run"):
        beta2, rate = map(float, name.split())
        wide = rows.pivot(index="step", columns="quantity", values="value")
        own = run.instances[run.instances.run == f"Adam constant {beta2:g} {rate:g}"]
        end = own[own.step == own.step.max()]
        closed = pace(end.sign_pace.to_numpy(), 0.9, beta2)
        assert wide.deviation.iloc[-1] == pytest.approx((end.growth / closed - 1).median())
        slower = np.minimum(end.sign_pace, 0.5 * np.log(1 / beta2))
        assert wide.slower.iloc[-1] == pytest.approx((end.growth / slower - 1).median())
        if wide.time.iloc[-1] > 1:
            near.append(abs(wide.deviation.iloc[-1]))
        assert wide.travelled.iloc[-1] == pytest.approx((3000 * end.sign_pace).median())
    assert len(near) > 1
    assert max(near) < 0.05
