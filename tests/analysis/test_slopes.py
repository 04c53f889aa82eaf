"""Exponents are those of powers, and there are none before the factor that they are taken over."""

import numpy as np
import pytest

from attnsvm.analysis.slopes import slope


@pytest.mark.parametrize(("span", "power", "known"), [(10, -0.7, 3), (100, -1.5, 2), (99.0, -2.0, 2)])
def test_the_exponent_of_a_power(span, power, known):
    at = np.array([1.0, 10.0, 100.0, 1000.0])
    found = slope(power * np.log(at)[None] + 2.0, at, span)[0]
    assert np.isnan(found[:-known]).all()
    np.testing.assert_allclose(found[-known:], power)


def test_steps_that_are_not_powers_have_the_same_exponent():
    steps = np.unique(np.geomspace(1, 1000, 31).astype(int))
    found = slope(-0.7 * np.log(steps)[None], steps, 10)[0]
    assert np.isnan(found[steps < 10]).all()
    np.testing.assert_allclose(found[steps >= 10], -0.7, atol=1e-12)


def test_the_value_before_is_the_last_one_that_is_far_enough_back():
    at, values = np.array([1.0, 4.0, 9.0, 50.0]), np.array([[0.0, 1.0, 5.0, 8.0]])
    found = slope(values, at, 10)[0]  # 50/10 = 5: the value at 4
    assert found[3] == 7.0 / np.log(50.0 / 4.0)
