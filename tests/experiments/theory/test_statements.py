"""Hypotheses that statements of docs/theory.md and of the manuscript lacked: each with what goes wrong without it."""

import numpy as np
import pytest

from attnsvm.data.problems import Problems
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import Stack, train_stack


def test_tied_scores_meet_the_other_hypotheses_and_break_the_law():
    """Token 3 has the score of the winner: the direction converges, the row saturates, and m_3/m_2 = .08."""
    X = np.array([[1.0, 0.0, 0.0], [-0.5, 0.5, 0.0], [1.0, 0.4, 0.9]])
    z, v = np.array([0.6, -0.8, 0.3]), np.array([1.0, 0.0, 0.0])
    first = np.outer(X[0] - X[1], z)

    def margins(third):
        problem = Problems(X[None, None], z[None, None], np.ones((1, 1)), v[None] + third, np.array([0]))
        start = (np.array(2.0 * first + 0.5 * np.outer(X[0] - X[2], z))[None, None, None],)
        run = train_stack(problem, Stack(layers=1), LinearHead, exact(0.1), 20000, 20000, start=start)
        logits = X @ run.weights[0, -1, 0, 0] @ z
        assert run.top[0, 0, 0, 0, 0] > 1 - 1e-9
        return (logits[0] - logits)[1:]

    tied, untied = margins(0.0), margins(np.array([0.0, 0.0, -0.3]))
    exactly = ((X[0] - X[2]) @ (X[0] - X[1])) / ((X[0] - X[1]) @ (X[0] - X[1]))
    assert exactly == pytest.approx(0.08)
    assert tied[1] / tied[0] == pytest.approx(exactly, abs=0.01)
    assert untied[1] / untied[0] > 0.99


def factor(g, first, second):
    """That of Adam's step against sign descent, for a gradient that falls as exp(−g·step)."""
    return (1 - first) / (1 - first * np.exp(g)) * np.sqrt((1 - second * np.exp(2 * g)) / (1 - second))


def paces(P, first, second):
    """The g at which g = P·factor."""
    end = min(-np.log(first), -0.5 * np.log(second))
    g = np.linspace(0, end, 400001)[1:-1]
    sign = np.sign(g - P * factor(g, first, second))
    return g[1:][np.diff(sign) != 0]


def test_the_pace_of_adam_need_not_exist_or_be_unique():
    assert len(paces(0.0317, 0.9, 0.7)) > 0
    assert len(paces(0.0319, 0.9, 0.7)) == 0
    np.testing.assert_allclose(paces(0.03, 0.9, 0.812), [0.037, 0.0965, 0.104], atol=5e-4)


@pytest.mark.parametrize(("first", "second"), [(0.9, 0.9), (0.9, 0.95), (0.9, 0.999), (0.5, 0.6)])
def test_with_a_first_memory_no_longer_than_the_second_it_is_unique(first, second):
    end = min(-np.log(first), -0.5 * np.log(second))
    assert (np.diff(factor(np.linspace(0, end, 1001)[:-1], first, second)) < 0).all()
    assert all(len(paces(P, first, second)) == 1 for P in np.array([0.1, 0.5, 1.0, 3.0]) * end)
