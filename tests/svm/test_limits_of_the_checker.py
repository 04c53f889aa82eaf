"""What the checker says just within each of its limits, and just beyond: of answers that are known in closed form."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from attnsvm.svm import checker, rational
from attnsvm.svm.checker import check, known
from attnsvm.svm.enclosures import NOTHING, rounding


def judged(rows, bound, norm="fro", W=None, dual=None):
    """The verdict on W (2, 2) with these multipliers; where there is no W, on a refutation.

    rows: (left, right) of each constraint; dual: None is all ones.
    """
    left, right, m = *(np.array(side, float) for side in zip(*rows, strict=True)), len(rows)
    tokens = np.concatenate([left, np.zeros((1, 2))])
    claim = SimpleNamespace(status="infeasible" if W is None else "solved", W=W, factors=None)
    claim.dual = np.ones(m) if dual is None else np.array(dual, float)
    numbers = np.arange(m), np.full(m, m), np.arange(m)
    return check((tokens, right, *numbers), np.array(bound, float), np.zeros(m, dtype=bool), norm, 1e-7, claim)


X, Y = ([1, 0], [1, 0]), ([0, 1], [0, 1])


def scaled(by, also=1.0):
    """One row asks for a margin; another one, that W meets by far, changes nothing, however long it is."""
    return judged([X, ([also, 0], [1, 0])], [1, 1], W=np.diag([1 + by, 0]), dual=[1, 0]).status


def opposite(slope, size=1.0):
    """Two rows that are opposite but for a slope: no W has a norm below its inverse."""
    return judged([([size, slope * size], [1, 0]), ([-size, slope * size], [1, 0])], [1, 1]).status


def rank(weak, norm):
    return judged([X, Y], [1, weak], norm, np.diag([1, weak]), [1, weak if norm == "fro" else 1]).rank


def rank_bound(less):
    """The second singular value of the dual matrix is so much less than the first."""
    return judged([X, Y], [1, 0], "nuc", np.diag([1.0, 0]), [1, 1 - less]).rank_bound


@pytest.mark.parametrize(
    ("decides", "limit", "below", "above"),
    [
        (lambda by: scaled(by, also=1e10), 2**-20, "solved", "uncertified"),
        (lambda by: scaled(-by, also=1e10), 2**-20, "solved", "uncertified"),
        (opposite, 1e-6, "remote", "uncertified"),
        (lambda size: opposite(1e-7, size), 1e-140, "uncertified", "remote"),
        (lambda weak: rank(weak, "fro"), 1e-9, 1, 2),
        (lambda weak: rank(weak, "nuc"), 1e-6, 1, 2),
        (lambda weak: rank(weak, "l1"), 1e-6, 1, 2),
        (rank_bound, 1e-5, 2, 1),
    ],
)
def test_a_limit_is_where_it_is_said_to_be(decides, limit, below, above):
    assert (decides(0.9 * limit), decides(1.1 * limit)) == (below, above)


def test_the_exponents_of_norms_have_a_least_and_a_largest():
    assert [known(f"l{p}") for p in ("1.0099", "1.01", "100", "100.1")] == [False, True, True, False]


def test_bounds_of_rounding_are_those_of_float64():
    """A sum of n products errs by n·u/(1 − n·u) of their sizes; where these vanish, by a least number each."""
    u = Fraction(1, 2**53)
    assert all(rounding(n) >= n * u / (1 - n * u) for n in (1, 100, 10**4, 10**8))
    assert Fraction(NOTHING) >= 2**31 * Fraction(5e-324) * 10**50


def test_where_the_longest_multipliers_alone_are_changed_they_have_every_coordinate(monkeypatch):
    """Of the second problem the rows (1, 0) are those, and W = (1, 6) meets the rows (−2, .5) too."""
    monkeypatch.setattr(rational, "MOST", 0)
    monkeypatch.setattr(checker, "ENTRIES", 6)
    rows = [([a, b], [1]) for a, b in [(2, 0), (-1, 1), (-1, -1), (0.1, 0), (-0.1, 0)]]
    assert judged(rows, [1] * 5).status == "infeasible"
    rows = [([1, 0], [1])] * 3 + [([-2, 0.5], [1])] * 10
    assert judged(rows, [1] * 13, dual=[1] * 3 + [0.15] * 10).status == "uncertified"
