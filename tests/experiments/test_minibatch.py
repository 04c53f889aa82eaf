"""Rules on one input at a time: the order of the inputs, and steps against plain arithmetic."""

import numpy as np
import pytest

from attnsvm.experiments.literature.minibatch.descent import RULES, SECOND, orders, step_of

RNG = np.random.default_rng(0)


def test_every_pass_uses_each_input_once_and_an_instance_has_its_order_whatever_the_batch():
    found = orders([3, 8], 5, 4)
    assert (np.sort(found.reshape(2, 4, 5), axis=2) == np.arange(5)).all()
    np.testing.assert_array_equal(orders([8], 5, 4), found[1:])
    assert (found[0] != found[1]).any()
    assert (found[0, :5] != found[0, 5:10]).any()


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("shift", [0.0, -900.0])
def test_steps_are_those_of_the_textbook_at_any_size_of_the_gradients(name, shift):
    """exp(−900) is zero in floats; the steps of these rules do not depend on the gradients' unit."""
    rule, G, logs = RULES[name], RNG.normal(size=(12, 2, 3, 3)), RNG.normal(size=(12, 2, 1, 1))
    m, v, moments = np.zeros((2, 3, 3)), np.zeros((2, 3, 3)), None
    for k in range(12):
        g = np.exp(logs[k]) * G[k]
        m = rule.memory * m + (1 - rule.memory) * g
        v = SECOND * v + (1 - SECOND) * g**2
        if rule.adam:
            expected = m / (1 - rule.memory ** (k + 1)) / np.sqrt(v / (1 - SECOND ** (k + 1)))
        else:
            expected = np.sign(m) if rule.norm == "linf" else m / np.linalg.norm(m, axis=(1, 2), keepdims=True)
        found, moments = step_of(rule, G[k], logs[k] + shift, moments, k)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_memory_of_gradients_that_have_vanished_keeps_its_direction():
    """Gradients that fall by e^−5 a step, for 3000 steps: the first one is what the memory holds."""
    G, moments = RNG.normal(size=(2, 3, 3)), None
    for k in range(3000):
        direction, moments = step_of(
            RULES["normalised, momentum"], G if k == 0 else -G, np.full((2, 1, 1), -5.0 * k), moments, k
        )
    np.testing.assert_allclose(direction, G / np.linalg.norm(G, axis=(1, 2), keepdims=True), rtol=1e-1)
