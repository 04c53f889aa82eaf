"""Graded margins where v trains along: an input that mixes, ρ, and the sign condition that is not needed."""

import numpy as np
import pytest
from scipy.optimize import brentq

from attnsvm.analysis.directions import correlation
from attnsvm.data.problems import Problems
from attnsvm.svm import separation, solve
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import Stack, train_stack

X = np.array([[[1.0, 0.0, 0.0], [0.0, 0.0, 0.5]], [[4.0, 1.0, 0.0], [0.5, 0.0, 0.0]]])
Z = np.array([[1.0, 0.0, 0.0], [-0.6, 0.8, 0.0]])
ONE = Problems(X[None], Z[None], np.ones((1, 2)), np.array([[1.0, 0.2, 0.1]]), np.array([0]))
A = np.array([np.outer(x[0] - x[1], z) for x, z in zip(X, Z, strict=True)])


def train(rate, steps=16000, step=0.01):
    """W, v and the largest softmax of each input; from W = 0, v in steps of `rate` times those of W."""
    how = {"start": (np.zeros((1, 1, 1, 3, 3)),), "head_rate": rate * step}
    run = train_stack(ONE, Stack(layers=1), LinearHead, exact(step), steps, steps, **how)
    return run.weights[0, -1, 0, 0], run.head[0, -1], run.top[0, 0, :, 0]


@pytest.mark.parametrize(("rate", "share"), [(0.5, 0.317), (1.0, 0.590)])
def test_an_input_mixes_down_until_its_force_is_back(rate, share):
    """κN_mix = κ min N + ρ: here N = 4(1 − p) + p/2, min N = 1, and ρ is the length of A_1 orthogonal to A_2."""
    W, v, p = train(rate)
    kappa = np.linalg.norm(v) / np.linalg.norm(W)
    level = A[0] - (A[0] * A[1]).sum() / (A[1] ** 2).sum() * A[1]
    rho = np.linalg.norm(level)
    predicted = (4 - 1 - rho / kappa) / 3.5
    assert predicted == pytest.approx(share, abs=1e-3)
    assert p[1, 1] == pytest.approx(predicted, abs=0.01)  # log‖W‖/‖W‖ is .03 at the end
    assert p[0, 0] > 1 - 1e-6
    assert correlation(W, level) > 1 - 1e-4
    assert v[0] / np.linalg.norm(v) > 1 - 1e-4  # the SVM of v has input 1 as its support vector


def test_longer_training_does_not_saturate_it():
    """What was called slow: four times the steps leave the share where it was."""
    shares = [train(1.0, steps)[2][1, 1] for steps in (4000, 16000)]
    assert shares[1] == pytest.approx(shares[0], abs=0.02)


def graded(lead, rho, kappa=1.0):
    """ρ‖W(ρ)‖, for a least norm with margins max(0, 1 − κ·lead/ρ)."""
    return rho * np.linalg.norm(
        solve(separation(TOKENS, QUERIES, CHOSEN, bound=np.maximum(0, 1 - kappa * lead / rho))).W
    )


RNG = np.random.default_rng(0)
TOKENS, QUERIES, CHOSEN = RNG.normal(size=(4, 5, 8)), RNG.normal(size=(4, 8)), np.zeros(4, dtype=int)
LEAD = np.array([0.0, 0.1, 0.4, 3.0])


def test_rho_is_unique():
    """ρ‖W(ρ)‖ rises, so that one ρ makes ‖W‖ = 1; its bound is zero where the formula is negative."""
    values = [graded(LEAD, rho) for rho in np.linspace(0.05, 3, 30)]
    assert (np.diff(values) > 0).all()
    rho = brentq(lambda rho: graded(LEAD, rho) - 1, 0.01, 10)
    assert rho < LEAD[3]  # the bound of the last input is negative, and zero is asked


def test_a_bound_below_zero_has_no_multiplier_but_zero_may_bind():
    """With inputs saturated their limits have m ≥ 0: where that binds with a multiplier, the input mixes instead."""
    free = solve(separation(X[:1], Z[:1], np.zeros(1, dtype=int))).W
    assert (A[1] * free).sum() < 0  # input 1 alone sends input 2 to its other token
    asked = solve(separation(X, Z, np.zeros(2, dtype=int), bound=np.array([1.0, 0.0])))
    assert (A[1] * asked.W).sum() == pytest.approx(0, abs=1e-9)
    assert asked.dual.min() > 0.01 * asked.dual.max()
