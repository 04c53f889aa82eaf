"""Selected tokens, margins, support indices and local optimality: loops, and the closed form of "all are support"."""

from itertools import product

import numpy as np
import pytest

from attnsvm.analysis.selection import (
    SELECTED_ABOVE,
    SUPPORT_TOLERANCE,
    by_token,
    different_choices,
    locally_optimal,
    margins,
    optimal_tokens,
    scores,
    selected_sets,
    selected_tokens,
    support,
    support_of,
)
from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.svm import certified, separation, solve

S, n, T, d = 5, 3, 4, 6
rng = np.random.default_rng(0)
TOKENS, HEAD = rng.normal(size=(S, n, T, d)), rng.normal(size=(S, d))
LABELS = np.where(rng.normal(size=(S, n)) > 0, 1.0, -1.0)
PROBABILITIES = rng.dirichlet(np.full(T, 0.2), size=(S, n))
SHAPES = [(2, 3, 6), (3, 3, 4), (2, 5, 12), (4, 2, 3)]


def solved(n, T, d, norm="fro", instances=20, chosen="optimal"):
    """Problems, selected tokens and the certified answers; every one of them solved."""
    p = draw(gaussian, range(instances), n, T, d)
    drawn = np.random.default_rng(n * T * d).integers(T, size=(instances, n))
    alpha = optimal_tokens(p.tokens, p.head, p.labels) if chosen == "optimal" else drawn
    answers = certified(p, alpha, norm)
    assert (answers["status"] == "solved").all()
    return p, alpha, answers


def test_scores_and_optimal_tokens_agree_with_loops():
    mine, best = scores(TOKENS, HEAD, LABELS), optimal_tokens(TOKENS, HEAD, LABELS)
    assert best.shape == (S, n)
    for s, i in np.ndindex(S, n):
        gains = [LABELS[s, i] * sum(HEAD[s, k] * TOKENS[s, i, t, k] for k in range(d)) for t in range(T)]
        np.testing.assert_allclose(mine[s, i], gains, rtol=0, atol=1e-13)  # six products
        assert best[s, i] == max(range(T), key=gains.__getitem__)


def test_selected_sets_are_the_tokens_above_one_in_a_thousand():
    assert SELECTED_ABOVE == 1e-3
    p = np.array([[0.5, 0.4979, 1.1e-3, 1e-3], [1 - 1e-9, 1e-9, 0.0, 0.0]])
    assert selected_sets(p).tolist() == [[True, True, True, False], [True, False, False, False]]
    mine = selected_sets(PROBABILITIES)
    assert mine.shape == (S, n, T)
    assert 0 < mine.mean() < 1
    assert mine[np.arange(S)[:, None], np.arange(n), selected_tokens(PROBABILITIES)].all()


@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_margins_agree_with_loops(n, T, d):
    p = draw(gaussian, range(3), n, T, d)
    rng = np.random.default_rng(0)
    W, alpha = rng.normal(size=(3, d, d)), rng.integers(T, size=(3, n))
    mine = margins(p.tokens, p.queries, W, alpha)
    for s, i, t in product(range(3), range(n), range(T)):
        difference = p.tokens[s, i, alpha[s, i]] - p.tokens[s, i, t]
        one = sum(difference[a] * W[s, a, b] * p.queries[s, i, b] for a in range(d) for b in range(d))
        assert mine[s, i, t] == pytest.approx(one, abs=1e-13)  # d² ≤ 144 products of order one
        assert t != alpha[s, i] or mine[s, i, t] == 0


def test_a_multiplier_is_placed_at_the_token_of_its_constraint():
    n, T = 3, 4
    p, alpha, answers = solved(n, T, 8, chosen="random")
    placed = by_token(answers["dual"], alpha, T)
    for s in range(len(p)):
        expected = np.zeros((n, T))
        index = separation(p.tokens[s], p.queries[s], alpha[s]).index
        for (i, reference, t), y in zip(index, answers["dual"][s], strict=True):
            assert reference == alpha[s, i]
            expected[i, t] = y
        assert np.array_equal(placed[s], expected)
    assert (np.take_along_axis(placed, alpha[..., None], 2) == 0).all()


@pytest.mark.parametrize("attention", ["cross", "self"])
@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_all_tokens_are_support_vectors_where_the_equality_solution_has_no_negative_multiplier(n, T, d, attention):
    """With independent rows A, all margins one is optimal exactly if (A Aᵀ)⁻¹ 1, its multipliers, is not negative."""
    p = draw(gaussian, range(40), n, T, d)
    alpha = optimal_tokens(p.tokens, p.head, p.labels)
    queries = ATTENTIONS[attention](p).queries
    answers = certified(p, alpha, "fro", attention)
    tight = support_of(p.tokens, queries, answers, alpha)
    found = []
    for s in range(len(p)):
        others = [(i, t) for i, t in np.ndindex(n, T) if t != alpha[s, i]]
        rows = [np.outer(p.tokens[s, i, alpha[s, i]] - p.tokens[s, i, t], queries[s, i]).ravel() for i, t in others]
        gram = np.array(rows) @ np.array(rows).T
        if np.linalg.cond(gram) < 1e8:  # independent rows
            assert answers["status"][s] == "solved"
            multipliers = np.linalg.solve(gram, np.ones(len(gram)))
            assert tight[s].sum() <= n * (T - 1)
            assert (tight[s].sum() == n * (T - 1)) == (multipliers >= 0).all()
            found.append((multipliers >= 0).all())
    assert len(found) >= 30
    if T > 2 and d < 12:
        assert 0 < sum(found) < len(found)  # both happen, or nothing was tested


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_the_gap_between_support_and_the_rest(norm):
    """Support has margin one and carries all of the dual; what is not has a margin above one and no multiplier."""
    n, T = 3, 4
    p, alpha, answers = solved(n, T, 8, norm, chosen="random")
    tight = support_of(p.tokens, p.queries, answers, alpha)
    dual = by_token(answers["dual"], alpha, T)
    some_left_out = False
    for s, i, t in product(range(len(p)), range(n), range(T)):
        margin = (p.tokens[s, i, alpha[s, i]] - p.tokens[s, i, t]) @ answers["W"][s] @ p.queries[s, i]
        if tight[s, i, t]:
            # A relative gap g leaves y·(margin − 1) ≤ g‖W‖; 2e-8 is the most seen, in the nuclear norm.
            assert t != alpha[s, i]
            assert abs(margin - 1) <= 1e-6
        elif t != alpha[s, i]:
            some_left_out = True
            assert margin > 1 + SUPPORT_TOLERANCE
            assert dual[s, i, t] <= SUPPORT_TOLERANCE * dual[s].max()
    assert some_left_out


def test_a_margin_near_one_or_a_multiplier_that_is_not_small_makes_support():
    margin, dual = [0, 1 + 0.9e-6, 1 + 1.1e-6, 2, 2, 2], [0, 0, 0, 1, 1.1e-6, 0.9e-6]
    found = support(np.array([[margin]]), np.array([[dual]]), np.array([[0]]))
    assert found.tolist() == [[[False, True, False, True, True, False]]]


def test_a_constraint_of_margin_one_without_a_multiplier_is_support():
    """x_α = 0 against −2e₁ ± e₂ and −2e₁: their mean is the third, and W = e₁zᵀ/2 meets all three with margin one."""
    tokens = np.array([[[[0.0, 0.0], [-2.0, 1.0], [-2.0, 0.0], [-2.0, -1.0], [-3.0, 0.0]]]])
    queries, alpha = np.array([[[1.0, 0.0]]]), np.array([[0]])
    solution = solve(separation(tokens[0], queries[0], alpha[0]))
    np.testing.assert_allclose(solution.W, [[0.5, 0.0], [0.0, 0.0]], rtol=0, atol=1e-9)
    margin = margins(tokens, queries, solution.W[None], alpha)
    expected = [[[False, True, True, True, False]]]
    assert support(margin, by_token(solution.dual[None], alpha, 5), alpha).tolist() == expected
    # Any split of the multiplier among the three is dual optimal, one with zeros among them too.
    for multipliers in ([0.5, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0]):
        placed = by_token(np.array([multipliers]), alpha, 5)
        assert support(margin, placed, alpha).tolist() == expected


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize(("n", "T", "d"), [(2, 3, 6), (3, 4, 5)])
def test_local_optimality_is_its_definition(norm, n, T, d):
    p, alpha, answers = solved(n, T, d, norm, instances=60, chosen="random")
    mine = locally_optimal(scores(p.tokens, p.head, p.labels), alpha, support_of(p.tokens, p.queries, answers, alpha))
    assert mine.shape == (60,)
    for s in range(len(p)):
        good = True
        for i, t in np.ndindex(n, T):
            difference = p.tokens[s, i, alpha[s, i]] - p.tokens[s, i, t]
            margin = difference @ answers["W"][s] @ p.queries[s, i]
            if t != alpha[s, i] and abs(margin - 1) < 1e-5:  # generic tokens that are not support are farther
                good = good and p.labels[s, i] * p.head[s] @ difference > 0
        assert mine[s] == good
    assert 0 < mine.sum() < len(mine)


def test_an_equal_score_at_a_support_index_is_not_beaten():
    score, alpha = np.array([[[1.0, 1.0, 0.0]]]), np.array([[0]])
    assert not locally_optimal(score, alpha, np.array([[[False, True, False]]]))[0]
    assert locally_optimal(score, alpha, np.array([[[False, False, True]]]))[0]


def test_the_different_choices_of_several_runs_are_found_once_and_put_back():
    selected = np.random.default_rng(4).integers(0, 2, (5, 6, 2))  # five runs, two tokens: choices repeat
    owner, tokens, place = different_choices(selected)
    np.testing.assert_array_equal(tokens[place], selected)
    np.testing.assert_array_equal(owner[place], np.broadcast_to(np.arange(6), (5, 6)))
    pairs = {(s, *selected[r, s].tolist()) for r in range(5) for s in range(6)}
    assert len(tokens) == len(pairs) < 30
