"""Formulas of the predictions, against differences, loops and draws."""

import numpy as np
import pytest

from attnsvm.analysis.margins import largest_logit
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.decay_factors.descent import penalised
from attnsvm.experiments.literature.length.measures import clipped
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


def test_the_largest_logit_is_that_of_a_loop():
    p, W = draw(gaussian, range(2), 3, 4, 5), np.random.default_rng(0).normal(size=(2, 7, 5, 5))
    found = largest_logit(p, W)
    for s, k in np.ndindex(2, 7):
        assert found[s, k] == pytest.approx(max((p.tokens[s, i] @ W[s, k] @ p.queries[s, i]).max() for i in range(3)))
