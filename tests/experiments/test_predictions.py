"""Formulas of the predictions, against differences, loops and draws."""

import numpy as np
import pytest

from attnsvm.analysis.margins import largest_logit
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.decay_factors.descent import penalised
from attnsvm.experiments.literature.length.measures import clipped
from attnsvm.experiments.literature.max_logit.measures import edge
from attnsvm.experiments.paper.regularisation_path.descent import Excess


@pytest.mark.parametrize("held", [False, True])
def test_the_gradient_with_decay_is_that_of_its_value(held):
    p = draw(gaussian, range(2), 3, 4, 5)
    excess = Excess(p.tokens, p.queries, p.labels, p.head)
    x, step = np.random.default_rng(0).normal(size=(2, 2 * 5 * 3)), 1e-6
    _, slope = penalised(excess, 1e-2, x, (2, 5, 3), held)
    for k in (0, 7, 14):
        there = [penalised(excess, 1e-2, x + side * step * np.eye(30)[k], (2, 5, 3), held)[0] for side in (1, -1)]
        np.testing.assert_allclose((there[0] - there[1]) / (2 * step), slope[:, k], rtol=1e-5)


def test_the_tail_is_that_of_drawn_tokens():
    new = np.random.default_rng(0).normal(size=(200_000, 6))
    cosine = new[:, 0] / np.linalg.norm(new, axis=1)
    for own, size in ((0.5, 2.0), (12.0, 20.0)):
        drawn = np.exp(np.minimum(size * cosine - own, 0.0)).mean()
        assert clipped(np.array([own]), np.array([size]), 6)[0] == pytest.approx(drawn, rel=0.05)


def test_the_edge_is_twice_the_margin_over_the_largest_variance():
    p = draw(gaussian, range(2), 2, 3, 4)
    selected, dual, W = np.array([[0, 2], [1, 1]]), np.random.default_rng(0).random((2, 2, 3)), np.ones((2, 4, 4))
    dual[:, 0, 1] = 0.0
    for s, found in enumerate(edge(p, selected, dual, W)):
        rows = [(i, t) for i in range(2) for t in range(3)]
        A = [np.outer(p.tokens[s, i, selected[s, i]] - p.tokens[s, i, t], p.queries[s, i]).ravel() for i, t in rows]
        spread = np.cov(np.array(A).T, aweights=dual[s].ravel(), ddof=0)
        assert found == pytest.approx(2 / 4 / np.linalg.eigvalsh(spread).max())


def test_the_largest_logit_is_that_of_a_loop():
    p, W = draw(gaussian, range(2), 3, 4, 5), np.random.default_rng(0).normal(size=(2, 7, 5, 5))
    found = largest_logit(p, W)
    for s, k in np.ndindex(2, 7):
        assert found[s, k] == pytest.approx(max((p.tokens[s, i] @ W[s, k] @ p.queries[s, i]).max() for i in range(3)))
