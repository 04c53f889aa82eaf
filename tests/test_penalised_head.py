"""The best attention of a head that prefers mixtures: against a conic solver and the optimality conditions."""

import cvxpy
import numpy as np
import pytest

from attnsvm.draws import draw, orthonormal
from attnsvm.experiments.penalised_head import best_attention
from attnsvm.selection import scores

SCORES = np.random.default_rng(0).normal(size=(4, 3, 7))
PENALTIES = (1e-3, 0.05, 0.3, 1.0, 10.0)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_best_attention_is_the_conic_solvers(penalty):
    mine = best_attention(SCORES, penalty)
    for place in np.ndindex(4, 3):
        p, score = cvxpy.Variable(7, nonneg=True), SCORES[place]
        problem = cvxpy.Problem(cvxpy.Maximize(score @ p - penalty * cvxpy.sum_squares(p)), [cvxpy.sum(p) == 1])
        problem.solve(cvxpy.CLARABEL)
        ours = score @ mine[place] - penalty * mine[place] @ mine[place]
        # The solver stops at a gap of 1e-8; a curvature of 2·penalty then fixes p to the root of gap/penalty.
        assert ours == pytest.approx(problem.value, abs=1e-7)
        assert np.abs(p.value - mine[place]).max() <= np.sqrt(1e-7 / penalty)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_best_attention_meets_the_optimality_conditions(penalty):
    p = best_attention(SCORES, penalty)
    assert (p >= 0).all()
    # Rounding of a sum of seven terms of the size of γ/(2·penalty).
    room = 1e-15 * np.abs(SCORES).max() / penalty + 1e-14
    assert np.abs(p.sum(-1) - 1).max() <= 7 * room
    slope = SCORES - 2 * penalty * p
    for place in np.ndindex(4, 3):
        inside = p[place] > 0
        level = slope[place][inside]
        assert np.ptp(level) <= 1e-13  # one multiplier for all tokens attended to
        assert (slope[place][~inside] <= level.min() + 1e-13).all()


def test_more_penalty_spreads_the_attention():
    counts = [(best_attention(SCORES, penalty) > 0).sum() for penalty in (1e-3, 0.1, 0.3, 1.0, 100.0)]
    assert counts[0] == 12  # the best token of each input
    assert counts == sorted(counts)
    assert counts[-1] == SCORES.size
    assert np.allclose(best_attention(SCORES, 1e9), 1 / 7, rtol=0, atol=1e-8)  # γ/(2·10⁹) beside 1/7


def test_two_tokens_have_a_closed_form():
    """p₁ = ½ + (γ₁ − γ₂)/(4λ), cut off to [0, 1]."""
    for first in np.linspace(-3, 3, 13):
        p = best_attention(np.array([first, 0.25]), 0.4)
        assert p[0] == pytest.approx(np.clip(0.5 + (first - 0.25) / 1.6, 0, 1), abs=1e-15)
    assert best_attention(np.array([2.0, 2.0]), 0.4).tolist() == [0.5, 0.5]


@pytest.fixture(scope="module")
def problems():
    return draw(orthonormal, range(24), 1, 6, 6)


def objective(score, p, penalty):
    return (score * p).sum(-1) - penalty * (p**2).sum(-1)


def test_orthonormal_tokens_turn_the_head_into_the_objective(problems):
    generator = np.random.default_rng(1)
    p = generator.dirichlet(np.ones(6), size=(24, 1))
    mixed = np.einsum("snt,sntd->snd", p, problems.tokens)
    direct = np.einsum("snd,sd->sn", mixed, problems.head) - 0.7 * (mixed**2).sum(-1)
    score = scores(problems.tokens, problems.head, problems.labels)
    assert np.allclose(direct, objective(score, p, 0.7), rtol=0, atol=1e-14)
