"""Sparse attention: entmax by its definition, its gradient, and where descent with decay ends."""

import numpy as np
import pytest
from by_hand import rows_of

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.sparse.descent import accelerated, kink, shrinking, zeros
from attnsvm.experiments.literature.sparse.layer import ATTENTIONS, Layer, entmax
from attnsvm.experiments.literature.sparse.measures import exponent, margin_of, moved
from attnsvm.svm.instances import certified

SPARSE = [alpha for alpha in ATTENTIONS.values() if alpha > 1.0]


def by_bisection(s, alpha):
    """[(α − 1)s − τ]₊^{1/(α − 1)} of one row, τ by halving an interval."""
    low, high = (alpha - 1) * s.max() - 1, (alpha - 1) * s.max()
    for _ in range(200):
        tau = (low + high) / 2
        p = np.maximum((alpha - 1) * s - tau, 0) ** (1 / (alpha - 1))
        low, high = (tau, high) if p.sum() > 1 else (low, tau)
    return p


@pytest.mark.parametrize("alpha", SPARSE)
def test_entmax_is_what_its_definition_says(alpha):
    logits = np.random.default_rng(0).normal(size=(50, 7)) * np.geomspace(0.1, 20, 50)[:, None]
    found = entmax(logits, alpha)
    np.testing.assert_allclose(found, [by_bisection(row, alpha) for row in logits], atol=1e-12)
    sizes = (found > 0).sum(1)
    assert {1, 7} <= set(sizes)


@pytest.mark.parametrize("alpha", SPARSE)
def test_one_token_has_everything_from_its_margin_on_and_not_before(alpha):
    lead = margin_of(alpha)
    for share, alone in ((0.999, False), (1.001, True)):
        p = entmax(np.array([[share * lead, 0.0, -0.3 * lead]]), alpha)
        assert (p[0, 0] == 1.0) == alone


@pytest.mark.parametrize("alpha", ATTENTIONS.values())
def test_the_gradient_is_the_slope_of_the_loss(alpha):
    problems, rng = draw(gaussian, range(4), 3, 5, 6), np.random.default_rng(1)
    layer, (W, D) = Layer(problems, alpha), rng.normal(size=(2, 4, 6, 6))

    def loss(W):
        return np.logaddexp(0.0, -(layer.probabilities(W) * layer.scores).sum(-1)).mean(1)

    slope = (loss(W + 1e-6 * D) - loss(W - 1e-6 * D)) / 2e-6
    np.testing.assert_allclose((layer.gradient(W) * D).sum((1, 2)), slope, atol=1e-8)


def test_with_decay_both_ways_of_descent_end_near_the_solution():
    """1.5-entmax on its way to it, sparsemax there but for the length of its last steps."""
    problems = draw(gaussian, range(4), 2, 3, 6)
    for alpha, ends, least in ((2.0, shrinking, 1e-3), (1.5, accelerated, 3e-4)):
        layer = Layer(problems, alpha)
        W = ends(layer, zeros(layer), 8.0, least)
        there = margin_of(alpha) * certified(problems, layer.probabilities(W).argmax(-1), "fro")["W"]
        assert (np.linalg.norm(W - there, axis=(1, 2)) < 0.1 * np.linalg.norm(there, axis=(1, 2))).all(), alpha


def test_the_solution_is_a_minimum_under_sparsemax_below_the_kink_and_not_above():
    """In the direction that takes from the selected token of each input, for each of its support tokens."""
    problems = draw(gaussian, range(6), 3, 5, 8)
    layer = Layer(problems, 2.0)
    chosen = layer.scores.argmax(-1)
    answer = certified(problems, chosen, "fro")
    W, dual = answer["W"], answer["dual"]
    most = kink(layer, chosen, W, dual)
    assert (answer["status"] == "solved").all()

    def risk(W, decay):
        loss = np.logaddexp(0.0, -(layer.probabilities(W) * layer.scores).sum(-1)).mean(1)
        return loss + 0.5 * decay * (W**2).sum((1, 2))

    rng, lower = np.random.default_rng(0), np.zeros(6, dtype=bool)
    for _ in range(300):
        D = 1e-3 * rng.normal(size=W.shape)
        assert (risk(W + D, 0.9 * most) > risk(W, 0.9 * most)).all()
    for i, t in np.ndindex(3, 5):  # a step that lets this token in, and no other one
        D = np.zeros_like(W)
        for s in range(6):
            here = [(j, u) for j, u in np.ndindex(3, 5) if u != chosen[s, j]]
            rows = rows_of(problems.tokens[s], problems.queries[s], chosen[s])
            asked = np.array([0.0 if j != i else -2e-4 if u == t else -1e-4 for j, u in here])
            D[s] = np.linalg.lstsq(rows, asked, rcond=None)[0].reshape(8, 8)
        lower |= risk(W + D, 1.1 * most) < risk(W, 1.1 * most)
    assert lower.all()


def test_exponents_and_moves_are_those_of_powers():
    levels, steps = np.geomspace(1e-2, 1e-5, 7), np.array([1, 3, 10, 30, 100])
    found = exponent(7.0 * levels[None] ** 0.5, levels)
    assert np.isnan(found[0, :2]).all()
    np.testing.assert_allclose(found[0, 2:], 0.5)
    W = np.ones((1, 5, 2, 2)) * steps[:, None, None] ** 2.0
    np.testing.assert_allclose(moved(W, steps)[0, 2:], [0.99, 0.99, 0.99])
