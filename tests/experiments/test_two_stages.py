"""Two stages of next words: the data, losses against direct sums and multiple precision, steps, closed forms."""

from dataclasses import replace
from itertools import combinations

import mpmath
import numpy as np
import pytest
import torch
from running import Quiet

from attnsvm.data.cells import Cell
from attnsvm.experiments.literature.stages import problems as drawing
from attnsvm.experiments.literature.stages.descent import descent
from attnsvm.experiments.literature.stages.first import first_stage
from attnsvm.experiments.literature.stages.layer import attention, log_excess, log_of_pairs, next_words, numbers
from attnsvm.experiments.literature.stages.sentences import COMPARABLE, SENTENCES, embeddings, sentences
from attnsvm.experiments.literature.stages.shifted import closure, right, shifted
from attnsvm.experiments.literature.stages.svm import svm

d, n = 8, 8


def drawn(variant, count=3):
    return drawing.problems(Cell(n, 3, d, range(count), variant), {})


@pytest.fixture(scope="module")
def orthonormal():
    return drawn("orthonormal")


@pytest.fixture(scope="module")
def gaussian():
    return drawn("gaussian")


def test_a_sentence_has_its_query_and_begins_with_the_best_word():
    for seed in range(20):
        given = sentences(seed, 20, 20)
        assert len(set(given.query.tolist())) == 5
        for query, order, trained in zip(given.query, given.order, given.trained, strict=True):
            assert len(set(order.tolist())) == COMPARABLE
            assert len({frozenset(words) for words in trained.tolist()}) == SENTENCES
            for words in trained.tolist():
                places = [order.tolist().index(word) for word in words]
                assert query in words
                assert places == sorted(places)


@pytest.mark.parametrize("variant", ["orthonormal", "gaussian"])
def test_problems_hold_the_words_of_the_sentences(variant):
    batch = drawn(variant)
    words = np.array([sentences(seed, d, n).trained.reshape(n, 3) for seed in batch.seeds])
    np.testing.assert_array_equal(numbers(batch), words)
    np.testing.assert_array_equal(next_words(batch), (words[..., 0] + 1) % d)
    for E in batch.head:
        np.testing.assert_allclose((E * E).sum(1), 1.0, atol=1e-12)
        assert np.allclose(E @ E.T, np.eye(d)) == (variant == "orthonormal")


# ---------------------------------------------------------------------------------------------------- losses


def exact_losses(E, V, words, query, W):
    """In 1000 digits: the mean loss of pairs; that of attention, less that of the best words."""
    with mpmath.workdps(1000):

        def cross_entropy(logits, target):
            return mpmath.log(sum(mpmath.exp(x) for x in logits)) - logits[target]

        def logits_of(x):
            return [mpmath.fdot(row.tolist(), x) for row in V]

        pairs = sum(cross_entropy(logits_of(E[x].tolist()), (x + 1) % d) for x in range(d)) / d
        rest = mpmath.mpf(0)
        for own in words:
            shares = [
                mpmath.exp(mpmath.fdot(E[t].tolist(), [mpmath.fdot(r.tolist(), E[query].tolist()) for r in W]))
                for t in own
            ]
            p = [share / sum(shares) for share in shares]
            mixed = [mpmath.fdot(p, E[list(own), k].tolist()) for k in range(d)]
            target = (own[0] + 1) % d
            rest += cross_entropy(logits_of(mixed), target) - cross_entropy(logits_of(E[own[0]].tolist()), target)
        return float(mpmath.log(pairs)), float(mpmath.log(rest / len(words)))


@pytest.mark.parametrize("size", [1.0, 30.0, 100.0])
def test_losses_are_right_however_small(gaussian, size):
    """From a tenth to e^-700: their logarithms agree to 1e-9."""
    V = first_stage(gaussian.head, 1.0, np.array([40]))
    solution = svm(gaussian, None, {})["second"]["W"] * size
    of = slice(0, SENTENCES)  # the sentences of the first query
    one = replace(gaussian[1:2], tokens=gaussian.tokens[1:2, of], queries=gaussian.queries[1:2, of])
    words, query = numbers(one)[0], sentences(1, d, n).query[0]
    pairs, _ = exact_losses(gaussian.head[1], V[1, 0] * size, words, query, solution[1])
    assert log_of_pairs(gaussian.head, V * size)[1, 0] == pytest.approx(pairs, rel=1e-9)
    _, rest = exact_losses(gaussian.head[1], V[1, 0], words, query, solution[1])
    assert log_excess(one, V[1:2, 0], solution[1:2, None])[0, 0] == pytest.approx(rest, rel=1e-9)


# ---------------------------------------------------------------------------------------------------- both stages


@pytest.mark.parametrize("normalised", [True, False])
def test_a_step_of_the_first_stage_is_the_gradient_of_autograd(gaussian, normalised):
    V = first_stage(gaussian.head, 0.5, np.array([3, 4]), normalised)
    at = torch.tensor(V[:, 0], requires_grad=True)
    target = torch.tensor((np.arange(d) + 1) % d)
    loss = sum(torch.nn.functional.cross_entropy(one, target) for one in torch.tensor(gaussian.head) @ at.mT)
    (gradient,) = torch.autograd.grad(loss, at)
    size = torch.linalg.matrix_norm(gradient)[:, None, None] if normalised else 1.0
    np.testing.assert_allclose(V[:, 1] - V[:, 0], -0.5 * (gradient / size).numpy(), atol=1e-12)


def test_normalised_steps_keep_their_length_where_the_loss_underflows(gaussian):
    V = first_stage(gaussian.head, 20.0, np.array([1000, 1001]))
    assert log_of_pairs(gaussian.head, V).max() < -750.0
    np.testing.assert_allclose(np.linalg.norm(V[:, 1] - V[:, 0], axis=(1, 2)), 20.0, rtol=1e-12)


def test_with_orthonormal_words_the_first_solution_has_a_closed_form_and_the_first_step_is_along_it(orthonormal):
    """V x = e_y − 1/d for every word x, y the next one: all margins are one, and the multipliers are alike."""
    solved = svm(orthonormal, None, {})["first"]
    wanted = np.roll(np.eye(d), 1, axis=0) - 1.0 / d  # column x: e_(x+1) − 1/d
    for answer, E in zip(solved["W"], orthonormal.head, strict=True):
        np.testing.assert_allclose(answer, wanted @ E, atol=1e-9)
    step = first_stage(orthonormal.head, 1.0, np.array([1]))[:, 0]
    for one, answer in zip(step, solved["W"], strict=True):
        np.testing.assert_allclose(one / np.linalg.norm(one), answer / np.linalg.norm(answer), atol=1e-9)


def test_with_orthonormal_words_training_never_moves_the_score_of_an_unseen_word(orthonormal):
    """And a word that was always best is above zero, one that was never best below: also where W_mm has zero."""
    settings = {
        "first_rate": 2.0,
        "rate": 1.0,
        "published": [0.2, 0.05],
        "steps": 40,
        "points": 4,
        "handover": 10,
        "together": 5,
    }
    trained = descent(orthonormal, settings, Quiet())
    W = trained["second"]["normalised"][:, -1]
    solution = svm(orthonormal, trained, {})["second"]["W"]
    assert (attention(orthonormal, W[:, None])[:, 0].argmax(-1) == 0).all()
    for s, seed in enumerate(orthonormal.seeds):
        E, given = orthonormal.head[s], sentences(int(seed), d, n)
        for query, own in zip(given.query, given.trained, strict=True):
            scores, certified = E @ W[s] @ E[query], E @ solution[s] @ E[query]
            won, lost = set(own[:, 0].tolist()), set(own[:, 1:].ravel().tolist())
            unseen = sorted(set(range(d)) - won - lost)
            assert np.abs(scores[unseen]).max(initial=0.0) < 1e-12
            assert np.abs(certified[unseen]).max(initial=0.0) < 1e-9
            assert (scores[sorted(won - lost)] > 0.0).all()
            assert (scores[sorted(lost - won)] < 0.0).all()
            assert (certified[sorted(won - lost)] > -1e-9).all()


# ---------------------------------------------------------------------------------------------------- new sentences


def test_what_follows_from_pairs_follows_by_a_chain():
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(6)
        pairs = {(int(order[i]), int(order[j])) for i, j in combinations(range(6), 2) if rng.random() < 0.4} or {(0, 1)}
        found, grown = closure(pairs, 6), set(pairs)
        while more := {(a, c) for a, b in grown for b2, c in grown if b == b2} - grown:
            grown |= more
        assert {(a, b) for a, b in np.ndindex(6, 6) if found[a, b]} == grown


def test_new_sentences_are_new_and_of_the_kind_they_are_called():
    for seed in range(10):
        given = sentences(seed, 20, 20)
        asked = shifted(given, 20)
        assert {"implied", "above", "below", "open"} >= {kind for kind, *_ in asked}
        for kind, query, words in asked:
            m = given.query.tolist().index(query)
            known = given.trained[m].tolist()
            assert sorted(words) not in [sorted(own) for own in known]
            assert query in words
            seen = {word for own in known for word in own}
            assert (kind in ("implied", "open")) == (set(words) <= seen)
            if kind == "below":
                assert words[0] not in seen
                assert not {own[0] for own in known} & set(words[1:])


def test_the_next_word_of_a_sentence_is_that_of_the_word_with_all_attention():
    E = embeddings(0, d, "orthonormal")
    V = 50.0 * np.roll(np.eye(d), 1, axis=0) @ E
    W = 50.0 * np.outer(E[3], E[1])  # under the query 1, the word 3
    asked = [(1, (3, 5, 1)), (1, (5, 3, 1)), (1, (3, 1, 7))]
    assert right(E, V, W, asked).tolist() == [True, False, True]
