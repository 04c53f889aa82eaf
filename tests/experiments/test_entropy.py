"""The value-softmax model: steps against numerical derivatives, the margin's flow, the law of amplification."""

import numpy as np
import pytest
from by_hand import descended

from attnsvm.analysis.probabilities import softmax
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.entropy.layer import attention, fit
from attnsvm.experiments.literature.entropy.measures import amplified, centred, others, tokens
from attnsvm.experiments.literature.entropy.value_softmax import along_the_margin, logistic, square, start

RATE = 1e-3


@pytest.fixture(scope="module")
def drawn():
    return start(np.arange(3), 4)


def test_an_instance_starts_where_its_seed_says(drawn):
    for whole, one in zip(drawn, start(np.array([1]), 4), strict=True):
        np.testing.assert_array_equal(whole[1:2], one)
    np.testing.assert_allclose(np.linalg.norm(drawn[2], axis=1), 1.0)


def test_two_steps_follow_the_gradient_of_each_loss(drawn):
    """Of the logistic loss the part of V along the target suffices."""
    V, a, target = (x[0] for x in drawn)
    for loss, found in (
        (lambda V, a: 0.5 * ((V @ softmax(a) - 2 * target) ** 2).sum(), square(V, a, 2 * target, RATE, 2)),
        (lambda V, a: np.log1p(np.exp(-target @ V @ softmax(a))), logistic(target @ V, a, RATE, 2)),
    ):
        np.testing.assert_allclose(found, descended(loss, (V, a), RATE)[1], atol=1e-10)


def test_short_steps_on_the_logistic_loss_go_along_the_margin(drawn):
    """After a time τ = Σ length of them; the path is the same."""
    V, a, target = drawn
    u, now, p = (target[:1, None] @ V[:1])[:, 0], 0.0, a[:1]
    w, b = u.copy(), p.copy()
    for _ in range(2000):
        q = softmax(b)
        length = 2e-3 / (1 + np.exp((w * q).sum()))
        w, b, now = w + length * q, b + length * q * (w - (w * q).sum()), now + length
    found = along_the_margin(u, p, np.array([now]), trained=True)[:, 0]
    np.testing.assert_allclose(centred(found), centred(b), atol=0.02 * np.abs(centred(b)).max())
    kept = along_the_margin(u, p, np.array([now]), trained=False)[:, 0]
    assert np.abs(kept - found).max() > 0.01


def test_a_uneven_start_is_amplified_as_the_law_says_and_a_small_one_to_three_digits(drawn):
    V, a, target = drawn
    u = (target[:, None] @ V)[:, 0]
    sizes = np.array([0.5, 2.0])
    law = 1e-5 * amplified(a, u, sizes)
    for k, size in enumerate(sizes):
        found = centred(square(1e-5 * V, 1e-5 * a, size * target, 0.01, 4000))
        assert np.linalg.norm(found - law[:, k]) < 2e-2 * np.linalg.norm(law[:, k])
        assert np.linalg.norm(found - 1e-5 * centred(a)) > 0.1 * np.linalg.norm(law[:, k])


def test_the_layer_follows_the_gradient_of_its_loss():
    problems = draw(gaussian, range(2), 2, 3, 5)
    v = np.random.default_rng(0).normal(size=(2, 5))
    tokens_, queries, labels = (x[0].astype(float) for x in (problems.tokens, problems.queries, problems.labels))

    def loss(W, v):
        p = attention(tokens_[None], queries[None], W[None])[0]
        return 0.5 * (((p * (tokens_ @ v)).sum(-1) - 2 * labels) ** 2).sum()

    W, _ = descended(loss, (np.zeros((5, 5)), v[0]), 0.1)
    expected = attention(tokens_[None], queries[None], W[None])[0]
    np.testing.assert_allclose(fit(problems, v, 2.0, 0.1, 2)[0], expected, atol=1e-7)


def test_tokens_are_counted_by_the_entropy():
    p = np.array([[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0], [1, 0, 0, 0]])
    np.testing.assert_allclose(tokens(p), [4, 2, 1])


def test_what_others_have_keeps_its_digits():
    np.testing.assert_allclose(others(np.array([0.0, -50.0, -60.0])), np.exp(-50) + np.exp(-60), rtol=1e-12)
