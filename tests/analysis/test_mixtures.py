"""The mixture in which forces balance, against the balance itself."""

import numpy as np
import pytest

from attnsvm.analysis.mixtures import shares

PUSH = np.array([0.0, 0.3, 0.1, 0.0])
LOSS = np.array([0.0, 1.5, 0.8, 3.0])


def test_the_row_loses_what_it_has_to():
    found = shares(PUSH, LOSS, np.array(0.2))
    assert found @ LOSS == pytest.approx(0.2)
    assert found[[0, 3]].tolist() == [0, 0]


def test_the_force_from_every_token_is_in_proportion_to_its_push():
    found = shares(PUSH, LOSS, np.array(0.2))
    pull = found * (LOSS - found @ LOSS)
    np.testing.assert_allclose(pull[1:3] / PUSH[1:3], pull[1] / PUSH[1])


def test_a_single_token_keeps_the_part_of_its_loss():
    """Whatever pushes it."""
    for push in (0.1, -3.0):
        found = shares(np.array([push, 0.0]), np.array([0.8, 1.0]), np.array(0.2))
        np.testing.assert_allclose(found, [0.25, 0])


def test_rows_are_apart():
    both = shares(np.stack([PUSH, 2 * PUSH]), np.stack([LOSS, LOSS]), np.array([0.2, 0.4]))
    np.testing.assert_allclose(both, [shares(PUSH, LOSS, np.array(at)) for at in (0.2, 0.4)])


def test_no_mixture_balances_beyond_the_largest_loss():
    found = shares(np.array([0.3, 0.0]), np.array([0.5, 1.0]), np.array(0.6))
    assert found[0] > 1
