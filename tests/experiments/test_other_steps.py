"""Where a path is interpolated, and which margins are compared."""

from types import SimpleNamespace

import numpy as np

from attnsvm.experiments.beyond.other_steps.descent import at_length
from attnsvm.experiments.beyond.other_steps.measures import least


def path(*lengths):
    """One run of two layers that keeps its direction, with these norms."""
    direction = np.random.default_rng(0).normal(size=(2, 1, 3, 3))
    direction /= np.linalg.norm(direction)
    return np.array(lengths)[None, :, None, None, None, None] * direction


def test_a_path_is_met_between_its_weights_where_it_is_as_long_as_asked():
    found = at_length(path(1.0, 2.0, 4.0), np.array([[1.0, 3.0, 4.0]]))
    np.testing.assert_allclose(found, path(1.0, 3.0, 4.0), atol=1e-12)


def test_a_path_that_first_becomes_shorter_is_met_on_its_way_out():
    turned = path(3.0, 1.0, 4.0)
    turned[:, 0] *= -1.0
    np.testing.assert_allclose(at_length(turned, np.array([[2.5]])), path(2.5), atol=1e-12)


def test_margins_are_compared_with_what_is_asked_if_it_is_enough():
    asked = SimpleNamespace(bound=np.array([1.0, 0.5, 0.05]), apply=lambda W: W)
    assert least(asked, np.array([3.0, 1.0, 0.01])) == 2.0
