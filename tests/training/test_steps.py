"""Step rules, as torch and the kernels read them, and as settings name them."""

import numpy as np
import pytest
import torch
from numba import njit

from attnsvm.batch.slopes import SMALLEST
from attnsvm.training import exact, how_to_train, plain, published
from attnsvm.training.kernels import scale
from attnsvm.training.optimisers.gradient_descent import EPSILON

RULES = {"published": published(0.1), "exact": exact(0.1), "plain": plain(0.3)}


@njit
def compiled_scale(rule, norm, factor):
    return scale(rule, norm, factor)


def test_rules_scale_gradients_as_published():
    norms = torch.tensor([0.0, EPSILON, 2.0], dtype=torch.float64)
    assert EPSILON == 2.0**-52
    # 1e-15: one sum and one division
    expected = [0.1 * 2.0**52, 0.1 * 2.0**51, 0.1 / (2.0 + 2.0**-52)]
    np.testing.assert_allclose(published(0.1).scale(norms), expected, rtol=1e-15)
    assert plain(0.3).scale(norms) == 0.3


def test_the_exact_rule_steps_by_the_learning_rate_down_to_its_smallest_norm():
    for norm in (1e-130, 1e-100, 1.0, 1e100):
        assert exact(0.1).scale(norm) * norm == pytest.approx(0.1, rel=1e-9)
    assert exact(0.1).scale(0.0) == 0.1 / SMALLEST  # finite: a gradient of zero moves nothing


@pytest.mark.parametrize("name", RULES)
def test_a_factor_of_the_gradient_is_one_of_norm_and_step(name):
    rule = RULES[name]
    for norm, factor in ((1.0, 1e-3), (2.0, 1e-17), (1e-5, 30.0)):
        # one product more, one division
        assert rule.scale(norm, factor) == pytest.approx(factor * rule.scale(norm * factor), rel=1e-15)


@pytest.mark.parametrize("name", RULES)
def test_the_kernels_compile_the_same_rule(name):
    for norm, factor in ((1.0, 1.0), (0.0, 1.0), (3e-16, 1.0), (2.0, 1e-17), (7.0, 0.3)):
        # The compiler may round norm·factor + ε once instead of twice.
        assert compiled_scale(RULES[name], norm, factor) == pytest.approx(RULES[name].scale(norm, factor), rel=1e-15)


def test_whole_numbers_make_the_same_rule():
    """A rule of another type would compile another loop."""
    for rule in (published(1), exact(1), plain(1)):
        assert [type(x) for x in rule] == [float, bool, float, bool, float]


SETTINGS = {"normalisation": "exact", "learning_rate": 0.2, "steps": 7, "device": "cpu"}


def test_settings_say_how_to_train():
    assert how_to_train(SETTINGS) == {"rule": exact(0.2), "steps": 7, "device": "cpu"}
    assert how_to_train(SETTINGS | {"normalisation": "published"})["rule"] == published(0.2)
    assert how_to_train(SETTINGS | {"instances": 3}) == how_to_train(SETTINGS)


@pytest.mark.parametrize("key", SETTINGS)
def test_no_setting_is_guessed(key):
    with pytest.raises(KeyError, match=key):
        how_to_train({k: v for k, v in SETTINGS.items() if k != key})
    with pytest.raises(KeyError, match="Exact"):
        how_to_train(SETTINGS | {"normalisation": "Exact"})
