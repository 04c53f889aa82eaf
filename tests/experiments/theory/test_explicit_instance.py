"""An instance that keeps 4/5 at the token outside of the margin: the hypotheses of theorem 2 in rationals, and descent.

By the theorem runs from an open set of starts end so. The first form of the law gives the row to the larger share, and
so has another solution.
"""

from fractions import Fraction

import numpy as np
import pytest
from two_layers import TWO, far

from attnsvm.analysis.composition import forward
from attnsvm.analysis.directions import correlation
from attnsvm.data.problems import Problems
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import train_stack

TOKENS = (((-2, 0, 0), (-2, 1, 2), (2, 1, 0)), ((-2, -1, -2), (0, 1, -2), (1, -1, -1)))
QUERIES, HEAD = ((2, -2, 2), (0, 0, 1)), (-1, 0, -2)
ALPHA = (0, 0)
WINNERS = ((0, 2, 2), (0, 0, 1))
INPUT, ROW, INSIDE, OUTSIDE = 0, 1, 2, 0  # the mixed row, and its tokens by what they compose
SHARE = Fraction(4, 5)
BELOW = {(0, 0, 1): Fraction(1, 21), (0, 0, 2): Fraction(169, 7140), (0, 1, 0): Fraction(1, 85)}
TOP = {(1, 1): Fraction(1, 8)}
FIRST_BELOW = {(0, 0, 1): Fraction(1633, 34952), (0, 0, 2): Fraction(361, 34952)} | {
    (1, 0, 1): Fraction(53, 17476),
    (1, 2, 2): Fraction(23, 8738),
}
FIRST_TOP = {(0, 1): Fraction(1, 116), (1, 1): Fraction(7, 58)}


def exactly(values):
    return np.array([[Fraction(x) for x in row] for row in values], dtype=object)


class Exact:
    """The constraints with these winners, and the combinations of them that the multipliers make; all in rationals."""

    def __init__(self, winners, below, top):
        self.X, self.Z = [exactly(tokens) for tokens in TOKENS], exactly(QUERIES)
        self.v = exactly([HEAD])[0]
        self.y = [x + x[list(chosen)] for x, chosen in zip(self.X, winners, strict=True)]
        self.A, self.asked, self.B = {}, {}, {}
        for i, chosen in enumerate(winners):
            x, y = self.X[i], self.y[i]
            for q, w in enumerate(chosen):
                for t in range(3):
                    if t != w:
                        self.A[i, q, t] = np.outer(x[w] - x[t], x[q])
                        self.asked[i, q, t] = int(q == ALPHA[i])
                if q != ALPHA[i]:
                    self.B[i, q] = np.outer(y[ALPHA[i]] - y[q], self.Z[i])
        self.below, self.top = below, top
        self.first = sum(size * self.A[term] for term, size in below.items())
        self.second = sum(size * self.B[term] for term, size in top.items())

    def is_solution(self):
        """The conditions of Karush, Kuhn and Tucker, and that the terms with equality are those of the multipliers."""
        gaps = {term: (A * self.first).sum() - self.asked[term] for term, A in self.A.items()}
        above = {term: (B * self.second).sum() - 1 for term, B in self.B.items()}
        feasible = min([*gaps.values(), *above.values()]) == 0
        equal = tuple({term for term, gap in of.items() if gap == 0} for of in (gaps, above))
        return (
            feasible
            and equal == (set(self.below), set(self.top))
            and min([*self.below.values(), *self.top.values()]) > 0
        )


@pytest.fixture(scope="module")
def instance():
    return Exact(WINNERS, BELOW, TOP)


def determinant(matrix):
    """By expansion, exactly."""
    if len(matrix) == 1:
        return matrix[0, 0]
    minors = (np.delete(matrix[1:], k, axis=1) for k in range(len(matrix)))
    return sum((-1) ** k * matrix[0, k] * determinant(minor) for k, minor in enumerate(minors))


def test_the_multipliers_give_the_solutions(instance):
    assert instance.is_solution()
    assert not np.any(instance.second != exactly([[0, 0, Fraction(-1, 4)]] * 2 + [[0, 0, 0]]))


def test_the_winner_of_the_top_has_no_copy(instance):
    assert all((y[1:] != y[0]).any(1).all() for y in instance.y)


def test_winners_have_the_better_scores(instance):
    """H2, in support terms of both layers."""
    lost = [instance.X[i][WINNERS[i][q]] - instance.X[i][t] for i, q, t in BELOW if q == ALPHA[i]]
    lost += [instance.y[i][ALPHA[i]] - instance.y[i][j] for i, j in TOP]
    assert min(x @ instance.v for x in lost) > 0


def test_the_one_level_term_is_mixed(instance):
    """H3′: composed of one token inside the margin above, of the other outside; and the mixture has the lower score."""
    level = [term for term in BELOW if not instance.asked[term]]
    assert level == [(INPUT, ROW, OUTSIDE)]
    x, z, W = instance.X[INPUT], instance.Z[INPUT], instance.second
    margin = (instance.B[INPUT, ROW] * W).sum()
    beta = (x[OUTSIDE] - x[INSIDE]) @ W @ z
    assert 1 < margin < 1 + beta
    assert (margin - 1) / beta == SHARE
    mixture = x[ROW] + (1 - SHARE) * x[INSIDE] + SHARE * x[OUTSIDE]
    assert (instance.y[INPUT][ALPHA[INPUT]] - mixture) @ instance.v > 0


def test_terms_are_independent(instance):
    """H4, by the determinant of their products; terms of different layers have none with one another."""
    for matrices in ([instance.A[term] for term in BELOW], [instance.B[term] for term in TOP]):
        assert determinant(np.array([[(a * b).sum() for b in matrices] for a in matrices])) != 0


def test_the_first_form_has_another_solution(instance):
    """With the token of the larger share as the winner, the solution of the theorem violates the margin above."""
    winners = ((0, OUTSIDE, 2), WINNERS[1])
    first = Exact(winners, FIRST_BELOW, FIRST_TOP)
    assert first.is_solution()
    assert (first.B[INPUT, ROW] * instance.second).sum() == 1 - (1 - SHARE) * Fraction(5, 2)
    for ours, other in ((instance.first, first.first), (instance.second, first.second)):
        assert correlation(ours.astype(float), other.astype(float)) < 0.99


@pytest.mark.parametrize("norm", [0.0, 3.0])
def test_descent_that_starts_beside_it_keeps_the_mixture(instance, norm):
    """From R = 100 at equal shares; from R = 300 with a random matrix added, which leaves .99 at the other token."""
    u = np.stack([instance.first, instance.second]).astype(float)
    u /= np.linalg.norm(u)
    away = np.random.default_rng(0).normal(size=u.shape)
    W = (300.0 if norm else 100.0) * u + norm * away / np.linalg.norm(away)
    tokens, queries = np.array(TOKENS, dtype=float)[None], np.array(QUERIES, dtype=float)[None]
    problem = Problems(tokens, queries, np.ones((1, 2)), np.array([HEAD], dtype=float), np.array([0]))

    def probabilities(W):
        rows = forward(TWO, tokens, queries, W[None, :, None])
        return np.exp(rows.below[0, 0, 0, INPUT, ROW])

    assert probabilities(W)[INSIDE] > 0.49
    run = train_stack(problem, TWO, LinearHead, exact(0.01), 40000, 40000, start=(W[None, :, None],))
    end = run.weights[0, -1, :, 0]
    assert np.linalg.norm(end) > np.linalg.norm(W) + 100
    assert probabilities(end)[OUTSIDE] == pytest.approx(float(SHARE), abs=0.03)
    assert far(end, u) < 3e-5
