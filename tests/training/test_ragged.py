"""Inputs of different lengths: padding is as if it were not there, in training, selection and the SVM."""

from dataclasses import replace

import numpy as np
import pytest
from pairwise import pairwise

from attnsvm.analysis.selection import by_token, margins, optimal_tokens, support
from attnsvm.data.draws import draw, gaussian
from attnsvm.data.problems import Problems
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.svm import Constraints, certified, separation, solve
from attnsvm.training import LinearHead, ReluHead, dense, exact, train

n, T, d = 3, 6, 5
LENGTHS = np.array([[6, 2, 4], [1, 5, 3], [4, 4, 4], [6, 6, 6]])


def ragged(draw_some=gaussian):
    """Padding of large numbers: whoever reads it shows."""
    p = draw(draw_some, range(4), n, T, d)
    tokens = np.where((np.arange(T) < LENGTHS[..., None])[..., None], p.tokens, 50.0)
    return replace(p, tokens=tokens, lengths=LENGTHS)


@pytest.mark.parametrize(
    ("drawn", "kind", "engine"),
    pairwise([(gaussian, LinearHead), (relu, ReluHead)], ["W", "KQ"], ["compiled", "dense", "torch"]),
)
def test_training_is_that_of_the_inputs_without_padding(drawn, kind, engine, monkeypatch):
    draw_some, head = drawn
    p, device = ragged(draw_some), "cpu:0" if engine == "torch" else "cpu"
    monkeypatch.setattr(dense, "LARGE", 0 if engine == "dense" else 10**9)
    log = train(p, head, kind, exact(0.1), 15, 5, device=device)
    assert (log.probabilities[~p.present] == 0).all()
    # Instance 2 has four tokens in each input, instance 3 six: trained on what is there they are the same.
    for s, length in ((2, 4), (3, 6)):
        alone = Problems(p.tokens[s : s + 1, :, :length], *(x[s : s + 1] for x in list(vars(p).values())[1:5]))
        expected = train(alone, head, kind, exact(0.1), 15, 5, device=device)
        # 15 normalised steps amplify rounding of 1e-16, and (K, Q) has padding of length 50 in the span of its tokens.
        np.testing.assert_allclose(log.weights[s], expected.weights[0], rtol=0, atol=1e-10)
        np.testing.assert_allclose(log.probabilities[s, :, :length], expected.probabilities[0], rtol=0, atol=1e-10)
        np.testing.assert_allclose(log.loss[s], expected.loss[0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(log.largest[s], expected.largest[0], rtol=0, atol=1e-10)


def test_other_padding_changes_nothing():
    p = ragged()
    other = replace(p, tokens=np.where(p.present[..., None], p.tokens, -3.0))
    for kind in ("W", "KQ"):
        one, two = (train(x, LinearHead, kind, exact(0.1), 20, 20) for x in (p, other))
        np.testing.assert_allclose(one.weights, two.weights, rtol=0, atol=1e-10)


def test_the_best_token_is_one_that_is_there():
    p = ragged()
    best = optimal_tokens(p.tokens, p.head, p.labels, p.present)
    assert (best < LENGTHS).all()
    for s in range(4):
        for i in range(n):
            score = p.labels[s, i] * p.tokens[s, i, : LENGTHS[s, i]] @ p.head[s]
            assert best[s, i] == score.argmax()
    assert (optimal_tokens(p.tokens, p.head, p.labels) >= LENGTHS).any()  # padding would win


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_the_svm_separates_from_what_is_there(norm):
    p = ragged()
    best = optimal_tokens(p.tokens, p.head, p.labels, p.present)
    answers = certified(p, best, norm)
    for s in range(4):
        parts = [
            separation(p.tokens[s, i : i + 1, :length], p.queries[s, i : i + 1], best[s, i : i + 1])
            for i, length in enumerate(LENGTHS[s])
        ]
        columns = {f: np.concatenate([getattr(part, f) for part in parts]) for f in Constraints.__annotations__}
        columns["index"][:, 0] = np.repeat(range(n), list(map(len, parts)))
        expected = solve(Constraints(**columns), norm)
        assert answers["status"][s] == expected.status.value == "solved"
        np.testing.assert_allclose(answers["W"][s], expected.W, rtol=0, atol=1e-6 * np.abs(expected.W).max())
    dual = by_token(answers["dual"], best, T)
    assert (dual[~p.present] == 0).all()
    margin = margins(p.tokens, p.queries, answers["W"], best)
    tight = support(margin, dual, best, p.present)
    assert not tight[~p.present].any()
    assert tight.any((1, 2)).all()
    assert support(margin, dual, best)[~p.present].any()  # padding lies within the margin


def test_lengths_go_through_arrays_and_indices():
    p = ragged()
    assert "lengths" not in draw(gaussian, range(2), n, T, d).arrays()
    again = Problems.from_arrays(p.arrays())
    assert np.array_equal(again.lengths, LENGTHS)
    assert np.array_equal(p[1:3].lengths, LENGTHS[1:3])
    assert Problems.from_arrays(draw(gaussian, range(2), n, T, d).arrays()).lengths is None


@pytest.mark.parametrize("wrong", [0, 7])
def test_a_length_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="lengths: expected numbers from 1 to 6, the number of tokens"):
        replace(ragged(), lengths=np.full((4, n), wrong))


def test_queries_at_every_position_take_no_padding():
    with pytest.raises(ValueError, match="lengths: expected None where every position has a query"):
        train(ragged(), LinearHead, "W", exact(0.1), 1, 1, attention="causal")
