"""Hard steps on (K, Q), and the conditions of where they go."""

import numpy as np
import pytest

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.experiments.beyond.factors.hard_steps.conditions import left
from attnsvm.experiments.beyond.factors.hard_steps.hard import Factors, constraints, hard_steps

LENGTH = 0.3


@pytest.fixture
def given():
    problems = draw_cell(gaussian, Cell(3, 4, 5, range(4)))
    return constraints(problems, optimal_tokens(problems.tokens, problems.head, problems.labels))


@pytest.fixture
def start():
    K, Q = np.random.default_rng(0).normal(size=(2, 4, 5, 5))
    return Factors(K, Q)


def least(given, factors):
    """The constraint of least margin of each instance, and that margin."""
    margin = np.einsum("scd,sde,sce->sc", given.b, factors.W, given.z)
    return margin.argmin(1), margin.min(1)


def test_a_step_follows_the_gradients_of_the_least_margin_alone(given, start):
    """A length for each factor with two norms, one length for both with one."""
    c, _ = least(given, start)
    b, z = (x[np.arange(4), c] for x in given)
    slopes = b[:, :, None] * (z[:, None] @ start.Q), z[:, :, None] * (b[:, None] @ start.K)
    each = np.stack([np.linalg.norm(slope, axis=(1, 2)) for slope in slopes])
    norms = {False: each, True: np.broadcast_to(np.linalg.norm(each, axis=0), each.shape)}
    for together, by in norms.items():
        after = hard_steps(given, start, np.array([LENGTH]), together=together)
        for old, new, slope, norm in zip(start, after, slopes, by, strict=True):
            assert new == pytest.approx(old + LENGTH * slope / norm[:, None, None], rel=1e-12)


def test_relative_steps_are_shares_of_the_norm_and_steps_add_up(given, start):
    size = np.sqrt(sum(np.square(factor).sum((1, 2)) for factor in start))
    after = hard_steps(given, start, np.array([LENGTH]), relative=True)
    assert np.linalg.norm(after.K - start.K, axis=(1, 2)) == pytest.approx(LENGTH * size)
    twice = hard_steps(given, hard_steps(given, start, np.array([LENGTH])), np.array([LENGTH]))
    at_once = hard_steps(given, start, np.full(2, LENGTH))
    assert pytest.approx(twice.W, rel=1e-12) == at_once.W


def test_many_steps_raise_the_least_margin(given, start):
    after = hard_steps(given, start, np.full(2000, 0.1))
    assert (least(given, after)[1] > 10 * np.abs(least(given, start)[1])).all()


def test_one_constraint_meets_all_conditions_and_turned_factors_meet_them_as_well():
    b, z, column = np.eye(3)[:1] * 2, np.eye(3)[1:2] * 3, np.ones(2) / np.sqrt(2)
    K, Q = np.outer(b[0] / 2, column), np.outer(z[0] / 3, column)
    found = left(b, z, K, Q)
    assert [found[name] for name in ("spiral", "still", "nuclear")] == pytest.approx([0, 0, 0], abs=1e-9)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert left(b, z, K @ turn, Q @ turn)["still"] == pytest.approx(0, abs=1e-9)
    assert left(b, z, K, -Q)["still"] > 0.5  # the margin is negative: no multiplier at least zero


def test_far_out_hard_steps_meet_the_spiral_and_with_one_norm_the_nuclear_conditions(given, start):
    begun = hard_steps(given, start, np.full(1000, 0.1))
    found = {}
    for together in (False, True):
        far = hard_steps(given, begun, np.full(6000, 2e-3), relative=True, together=together)
        found[together] = [left(*each) for each in zip(*given, *far, strict=True)]
    for own, other in zip(found[False], found[True], strict=True):
        assert own["spiral"] < 0.05
        assert own["spiral"] < own["still"] < own["nuclear"]
        assert other["nuclear"] < min(0.05, other["spiral"])
