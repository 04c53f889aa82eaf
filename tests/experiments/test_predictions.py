"""Formulas of decay_factors, looped and length, against differences, long loops and draws."""

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.decay_factors.descent import penalised
from attnsvm.experiments.literature.length.measures import clipped
from attnsvm.experiments.literature.looped.descent import looped
from attnsvm.experiments.literature.looped.measures import edge, lacking, spread
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


def test_what_a_loop_lacks_falls_as_the_multipliers_say_up_to_the_edge():
    examples = np.array([[[1.0, 0.2], [-0.3, 0.2]]])  # the separator is (0, 5), with multipliers 3 : 10 of the two
    p, W = np.array([[3.0, 10.0]]) / 13.0, np.array([[[0.0, 0.0], [5.0, 0.0]]])
    identity, depths = np.eye(2)[None], np.array([20000])
    limit = edge(examples, p)[0]
    assert limit == pytest.approx(2 / (p.prod() * 1.3**2))
    for rate, near in ((1.0, True), (0.9 * limit, True), (1.2 * limit, False)):
        lacks = lacking(examples, looped(examples, -identity, rate * identity, depths), W)[0, 0]
        law = spread(p)[0] * 25.0 / (rate * depths[0])
        assert (abs(lacks / law - 1) < 0.02) == near


def test_the_tail_is_that_of_drawn_tokens():
    new = np.random.default_rng(0).normal(size=(200_000, 6))
    cosine = new[:, 0] / np.linalg.norm(new, axis=1)
    for own, size in ((0.5, 2.0), (12.0, 20.0)):
        drawn = np.exp(np.minimum(size * cosine - own, 0.0)).mean()
        assert clipped(np.array([own]), np.array([size]), 6)[0] == pytest.approx(drawn, rel=0.05)
