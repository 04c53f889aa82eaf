"""Weight decay: the directions of the rules, the gradient, and the conditions of a ball."""

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.decay.descent import level
from attnsvm.experiments.literature.decay.layer import gradient, selected
from attnsvm.experiments.literature.decay.measures import unmet
from attnsvm.experiments.literature.decay.rules import NORMS, RUNS, steepest

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def problems():
    return draw(gaussian, range(3), 3, 4, 5)


@pytest.mark.parametrize("norm", NORMS)
def test_the_direction_of_a_batch_is_that_of_each_matrix(norm):
    G = RNG.normal(size=(4, 5, 5))
    np.testing.assert_allclose(steepest(norm, G), [geometry.get(norm).steepest(M) for M in G], atol=1e-12)


@pytest.mark.parametrize("size", [1.0, 3000.0])
def test_the_gradient_is_the_slope_of_the_loss_and_does_not_underflow(problems, size):
    W = size * RNG.normal(size=(3, 5, 5))
    G, logs = gradient(problems, W)
    assert np.abs(G).max((1, 2)).min() > 1e-6
    if size == 1.0:
        D = RNG.normal(size=W.shape)
        slope = (loss(problems, W + 1e-6 * D) - loss(problems, W - 1e-6 * D)) / 2e-6
        np.testing.assert_allclose((np.exp(logs) * G * D).sum((1, 2)), slope, atol=1e-8)


def loss(problems, W):
    logits = np.einsum("sntd,sde,sne->snt", problems.tokens, W, problems.queries)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    output = np.einsum("snt,sntd,sd->sn", p, problems.tokens, problems.head)
    return np.log1p(np.exp(-problems.labels * output)).mean(1)


def test_what_is_unmet_of_the_conditions_of_a_ball(problems):
    W, R = RNG.normal(size=(3, 5, 5)), 2.0
    G, _ = gradient(problems, W)
    expected = [1 + (g * w).sum() / (R * np.abs(g).sum()) for g, w in zip(G, W, strict=True)]
    np.testing.assert_allclose(unmet(problems, W, "linf", R), expected)


@pytest.mark.parametrize("norm", ["fro", "linf"])
def test_a_rule_with_decay_ends_on_its_ball_and_with_the_decay_in_the_gradient_inside(problems, norm):
    start = RNG.normal(size=(3, 5, 5))
    end = level(problems, RUNS[norm], start, 1.0, 0.1)
    np.testing.assert_allclose(geometry.get(norm).value(end), 10.0, rtol=0.02)
    assert (unmet(problems, end, norm, 10.0) < 0.1).all()
    inside = level(problems, RUNS["linf, coupled"], start, 1.0, 0.1)
    assert (geometry.get("linf").value(inside) < 5.0).all()


def test_what_is_selected_of_several_weights(problems):
    W = RNG.normal(size=(3, 2, 5, 5))
    found = selected(problems, W)
    assert found.shape == (3, 2, 3)
    for s, k, i in np.ndindex(found.shape):
        logits = problems.tokens[s, i] @ W[s, k] @ problems.queries[s, i]
        assert found[s, k, i] == logits.argmax()
