"""Routers beside plain attention: their gradients against automatic ones, descent against the engine."""

import numpy as np
import pytest
import torch

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.summaries.router.measures import reached
from attnsvm.experiments.summaries.router.noise import NOISE_STREAM, Noise
from attnsvm.experiments.summaries.router.routing import Router, descend, loss
from attnsvm.training import LinearHead, exact, train
from attnsvm.training.start import full_weights
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

ROUTERS = [Router(entropy=0.3), Router(entropy=-0.3), Router(dirichlet=0.2), Router(temperature=0.7), Router()]


def objective(scores, values, labels, router):
    """Loss and what the selector adds, in torch; the straight-through estimator as its users write it."""
    p = torch.softmax(scores, -1)
    if router.temperature:
        hard = torch.nn.functional.one_hot(p.argmax(-1), p.shape[-1]).to(p)
        output = ((hard - p.detach() + p) * values).sum(-1)
    else:
        output = (p * values).sum(-1)
    entropy = -(p * p.log()).sum(-1)
    each = torch.nn.functional.softplus(-labels * output) + router.entropy * entropy
    return (each + router.dirichlet * p.log().sum(-1)).mean(-1)


def slopes(scores, values, labels, router, noise=0.0):
    """Loss (S,) and gradient with respect to the scores (S, n, T), as mantissas and powers of two.

    With unit vectors for tokens and queries the scores are the entries of W.
    """
    S, n, T = scores.shape
    W, units = np.zeros((S, T, T)), np.broadcast_to(np.eye(T), (S, n, T, T))
    W[:, :, :n] = scores.swapaxes(1, 2)
    given = {"tokens": units, "queries": units[:, 0, :n, None], "labels": labels, "values": values[..., None]}
    given["noise"] = np.broadcast_to(noise, scores.shape)[:, :, None]
    nodes = {"W": Node(W, weight=True)}
    found = loss(nodes, {name: Node(x) for name, x in given.items()}, router)
    m, k, _ = gradient(found, nodes)["W"].summed()
    return found.value, m[:, :, :n].swapaxes(1, 2), np.broadcast_to(k, m.shape)[:, :, :n].swapaxes(1, 2)


@pytest.mark.parametrize("router", ROUTERS)
def test_the_gradient_is_the_automatic_one(router):
    rng = np.random.default_rng(0)
    scores, values, labels = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5)), rng.choice([-1.0, 1.0], (2, 3))
    given, noise = torch.tensor(scores, requires_grad=True), rng.gumbel(size=(2, 3, 5))
    noisy = (given + torch.tensor(noise)) / router.temperature if router.temperature else given
    expected = objective(noisy, torch.tensor(values), torch.tensor(labels), router)
    expected.sum().backward()
    found, m, k = slopes(scores, values, labels, router, noise)
    np.testing.assert_allclose(found, expected.detach(), rtol=1e-12)
    np.testing.assert_allclose(np.ldexp(m, k), given.grad, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("router", [Router(entropy=0.3), Router()])
def test_the_direction_outlives_the_gradient(router):
    """With gaps of thousands every gradient is zero in float64; the direction is that of the limit."""
    scores = np.array([[[0.0, -3000.0, -3000.5], [0.0, -3001.0, -4000.0]]])
    values, labels = np.array([[[0.5, 0.1, -0.3], [0.4, -0.2, 0.0]]]), np.array([[1.0, -1.0]])
    _, m, k = slopes(scores, values, labels, router)
    chosen, gap = values[..., :1], -scores
    # p_t → exp(−gap_t); the entropy falls like p_t·gap_t: what is added is entropy·(log p_t + H) = −entropy·gap_t.
    slope = -labels[..., None] / (1 + np.exp(labels[..., None] * chosen))
    share = np.exp(np.minimum(scores + 3000.0, 0.0))
    expected = share * (slope * (values - chosen) + router.entropy * gap) / 2
    expected[..., 0] = -expected[..., 1:].sum(-1)
    assert (np.ldexp(m, k) == 0).all()
    # The factor exp(−3000), in powers of two: 3000/ln 2 = 4328.085...
    rest = np.exp(4328 * np.log(2) - 3000)
    np.testing.assert_allclose(np.ldexp(m, k + 4328), expected * rest, rtol=1e-11)


def test_without_a_selector_descent_is_the_engine():
    problems, kept = draw(gaussian, range(4), 3, 4, 6), np.array([1, 10, 100, 400])
    log = train(problems, LinearHead, "W", exact(0.1), 400, kept)
    (start,) = full_weights(problems.seeds, 6, "uniform")
    found = descend(problems, Router(), start, 0.1, kept)
    # Two orders of summation, 400 normalised steps.
    np.testing.assert_allclose(found["weights"], log.weights, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found["largest"], log.largest, rtol=1e-8)
    assert (found["selected"] == log.probabilities.argmax(2)).all()


def test_noise_is_gumbel_and_of_its_seed_alone():
    seeds, places = np.arange(50), np.arange(50)
    noise, some = Noise(seeds, (6, 8), "gumbel"), Noise(seeds, (6, 8), "gumbel")
    drawn = np.stack([noise(step, places) for step in range(60)])
    assert np.array_equal(drawn[:, [9, 7]], np.stack([some(step, np.array([9, 7])) for step in range(60)]))
    assert np.array_equal(drawn[:, 7], np.random.default_rng([NOISE_STREAM, 7]).gumbel(size=(60, 6, 8)))
    # Mean: Euler's constant; variance π²/6. 144,000 numbers: standard errors of .0034 and .01.
    assert abs(drawn.mean() - np.euler_gamma) < 0.014
    assert abs(drawn.var() - np.pi**2 / 6) < 0.04


def test_reached_is_the_first_step_from_which_on_it_lasts():
    steps = np.array([1, 3, 9])
    met = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=bool)
    assert reached(steps, met).tolist() == [1, 9, 3, np.inf]
