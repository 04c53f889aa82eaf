"""Rates: data with equal scores, and Polyak's step at any depth."""

import numpy as np
import pytest

from attnsvm.analysis.selection import scores
from attnsvm.data.draws import draw, gaussian
from attnsvm.data.streams import Streams
from attnsvm.experiments.literature.rates.descent import excess_slope, polyak
from attnsvm.experiments.literature.rates.others import logarithm_of_others
from attnsvm.experiments.literature.rates.problems import equal_scores


@pytest.fixture(scope="module")
def problems():
    return draw(equal_scores, range(4), 3, 4, 14)


def test_the_first_token_has_the_score_one_and_every_other_the_score_zero(problems):
    found = scores(problems.tokens, problems.head, problems.labels)
    np.testing.assert_allclose(found, np.broadcast_to(np.arange(4) == 0, found.shape), atol=1e-6)
    tokens, queries, labels, _ = gaussian(Streams(np.arange(4)), 3, 4, 14)
    np.testing.assert_array_equal(problems.tokens, tokens)
    np.testing.assert_array_equal(problems.labels, labels)
    np.testing.assert_array_equal(problems.queries, queries)


def excess(problems, W):
    logits = np.einsum("sntd,sde,sne->snt", problems.tokens, W, problems.queries)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    score = scores(problems.tokens, problems.head, problems.labels)
    lowest = np.log1p(np.exp(-score.max(-1))).mean(1)
    return np.log1p(np.exp(-(p * score).sum(-1))).mean(1) - lowest


def test_the_slope_is_that_of_the_logarithm_of_the_excess(problems):
    W, D = np.random.default_rng(0).normal(size=(2, 4, 14, 14))
    expected = (np.log(excess(problems, W + 1e-6 * D)) - np.log(excess(problems, W - 1e-6 * D))) / 2e-6
    np.testing.assert_allclose((excess_slope(problems, W) * D).sum((1, 2)), expected, rtol=1e-6)


def test_polyak_steps_solve_the_linear_model_of_the_excess_and_go_on_where_it_underflows(problems):
    kept = np.array([0, 1, 2000])
    W = polyak(problems, np.zeros((4, 14, 14)), kept)
    G = excess_slope(problems, W[:, 0]) * excess(problems, W[:, 0])[:, None, None]  # ∇L
    step = excess(problems, W[:, 0]) / (G**2).sum((1, 2))
    np.testing.assert_allclose(W[:, 1], -step[:, None, None] * G, rtol=1e-9)
    deep = logarithm_of_others(problems, W)
    assert (deep[:, -1] < -800).all(), "exp ends at −745"
    assert np.isfinite(W).all()


def test_what_other_tokens_get_is_that_of_the_input_that_lags_most(problems):
    W = np.random.default_rng(1).normal(size=(4, 2, 14, 14))
    for s, k in np.ndindex(4, 2):
        logits = np.einsum("ntd,de,ne->nt", problems.tokens[s], W[s, k], problems.queries[s])
        p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        assert logarithm_of_others(problems, W)[s, k] == pytest.approx(np.log(1 - p.max(-1)).max())
