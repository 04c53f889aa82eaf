"""What rows compose, against the compiled loop; what they go to, against made-up rows; what they cost, path by path."""

from itertools import product

import numpy as np
import pytest

from attnsvm.analysis.composition import Rows, compose, costs, forward, in_the_limit, level, of_winners, reached
from attnsvm.analysis.ends import with_mixtures
from attnsvm.data.architecture import Stack
from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import train_stack


@pytest.mark.parametrize(
    "stack",
    [
        Stack(layers=2),
        Stack(layers=2, residual=False),
        Stack(layers=3, heads=2),
        Stack(layers=2, attention="causal", causal=True),
        Stack(layers=2, attention="self"),
    ],
    ids=["two", "no-residual", "three-two-heads", "causal", "self"],
)
def test_the_rows_are_those_of_the_compiled_loop(stack):
    problems = draw(gaussian, range(3), 3, 5, 6)
    values = np.random.default_rng(0).normal(size=(3, stack.layers, stack.heads, 6, 6))
    for given in (None, values):
        log = train_stack(problems, stack, LinearHead, exact(0.1), 200, 200, values=given)
        rows = forward(stack, problems.tokens, problems.queries, log.weights[:, -1], given)
        np.testing.assert_allclose(np.exp(rows.below), log.below, rtol=0, atol=1e-10)
        np.testing.assert_allclose(np.exp(rows.top), log.top, rtol=0, atol=1e-10)
        np.testing.assert_allclose(rows.tokens, log.tokens, rtol=0, atol=1e-9)


TWO = Stack(layers=2)


def rows_of(p, X):
    """The rows of one layer with the probabilities p (T, T) and tokens X (T, d) below a top that is of no interest."""
    below = np.asarray(p, dtype=float)[None, None, None, None]
    tokens = np.stack([X[None], compose(X[None, None], below[:, 0], True)[0]])[None]
    with np.errstate(divide="ignore"):
        return Rows(np.log(below), np.zeros((1, 1, 1, 1, len(X))), tokens)


def test_a_mixture_stays_and_what_falls_as_the_norm_grows_is_gone():
    X = np.eye(3)
    early = rows_of([[0.6, 0.4, 0.0], [0.80, 0.20, 0.0], [0.0, 0.0, 1.0]], X)
    late = rows_of([[0.5, 0.5, 0.0], [0.95, 0.05, 0.0], [0.0, 0.0, 1.0]], X)
    limit = in_the_limit(TWO, early, late, (np.array([10.0]), np.array([40.0])))
    # Row 0 goes on to .5 − .1/3, as 1/‖W‖ would; row 1 falls as 1/‖W‖ exactly.
    assert np.allclose(np.exp(limit.below[0, 0, 0, 0]), [[7 / 15, 8 / 15, 0], [1, 0, 0], [0, 0, 1]])
    assert np.allclose(limit.tokens[0, 1, 0], X + np.array([[7 / 15, 8 / 15, 0], [1, 0, 0], [0, 0, 1]]))
    winners = of_winners(TWO, late)
    assert np.allclose(winners.tokens[0, 1, 0], X + np.eye(3)[[0, 0, 2]])


@pytest.mark.parametrize("residual", [True, False])
def test_the_cost_of_a_row_is_that_of_its_cheapest_path(residual):
    rng, T, n = np.random.default_rng(1), 3, 2
    stack = Stack(layers=3, residual=residual)
    logs = -rng.exponential(size=(1, 2, 1, n, T, T)), -rng.exponential(size=(1, 1, n, 1, T))
    found = costs(stack, Rows(*logs, np.zeros((1, 3, n, T, 4))))
    for i, q in product(range(n), range(T)):
        read = -logs[1][0, 0, i, 0]
        assert found[0, 1, i, q] == read[q]
        through = [read[above] - logs[0][0, 1, 0, i, above, q] for above in range(T)]
        assert found[0, 0, i, q] == min([*through, read[q]] if residual else through)


def test_a_token_is_level_if_its_probability_stays_or_falls_as_the_norm_grows():
    X = np.eye(3)
    early = rows_of([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.9, 0.05, 0.05]], X)
    late = rows_of([[0.5, 0.5, 0.0], [0.98, 0.02, 0.0], [0.95, 0.05, 0.0001]], X)
    norms = np.array([10.0]), np.array([50.0])
    every = np.ones((1, 1, 1, 3), dtype=bool)
    found = level(early, late, norms, every)[0, 0, 0, 0]
    assert found.tolist() == [[True, True, False], [True, True, False], [True, True, False]]
    assert not level(early, late, norms, ~every).any()


def test_a_row_is_reached_if_its_cost_is_near_the_least_margin():
    cost = np.array([100.0, 200.0, 98.0]).reshape(1, 1, 1, 3)
    assert reached(cost, np.array([1000.0]), np.array([[98.0]]))[0, 0, 0].tolist() == [True, False, True]


def test_a_tie_is_read_by_the_least_cost_of_several_steps():
    """Row 1 does not count and halves its probability; its cost, that of its composed token above, swings by 20."""

    def at(cost):
        tops = np.array([0.0, -cost, -cost]).reshape(1, 1, 1, 1, 3)
        return rows_of([[1.0, 1e-40, 1e-40], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], np.eye(3))._replace(top=tops)

    norms = np.array([10.0]), np.array([50.0])
    high, low = at(115.0), at(95.0)  # beside the margin 92 of row 0, which counts, and 2 log ‖W‖ = 7.8
    for shaken, tied in (((), False), ((high, high), False), ((high, low, high), True)):
        found = with_mixtures(TWO, high, high, norms, shaken=shaken)
        assert found.level[0, 0, 0, 0, 1].tolist() == [tied, tied, False]
