"""What still moves to a limit, and what stands still on the wrong side of it."""

import numpy as np
import pytest

from attnsvm.audit.numbers import goes_to, slope_interval

STEPS = np.geomspace(100, 1000, 7)
NOISE = np.random.default_rng(0).normal(size=7)


@pytest.mark.parametrize(
    ("values", "limit", "falls", "moves"),
    [
        (1 / STEPS, 1e-4, True, True),
        (0.5 + 1 / STEPS, 1e-4, True, False),  # it stops at a half
        (1 / STEPS, 0.01, True, False),  # it is there
        (1 - 1 / STEPS, 0.9999, False, True),
        (STEPS / 1000, 0.5, True, False),  # it goes away
        (0.5 + 0.1 * NOISE, 0.01, True, False),
        (1 / np.log(STEPS), 0.01, True, True),
        (1.1 - 0.1 * np.log10(STEPS), 0.0, True, False),  # a decade more changes an eighth of what is missing
    ],
)
def test_what_moves(values, limit, falls, moves):
    assert goes_to(limit, falls, STEPS, values) is moves


def test_few_points_and_missing_ones_say_nothing():
    line = -np.log10(STEPS)
    assert [goes_to(-4, True, STEPS[:points], line[:points]) for points in (3, 4)] == [False, True]
    assert not goes_to(1e-4, True, STEPS, np.where(STEPS > 900, np.nan, 1 / STEPS))


def test_the_interval_is_that_of_least_squares():
    from scipy.stats import linregress, t

    x, y = np.log10(STEPS), NOISE
    slope, half = slope_interval(x, y)
    found = linregress(x, y)
    np.testing.assert_allclose((slope, half), (found.slope, t.ppf(0.975, 5) * found.stderr))
