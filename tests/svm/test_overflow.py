"""False statements near the ends of float64: overflow that made a norm zero, a small bound not seen, an endless SVD."""

from types import SimpleNamespace

import numpy as np
import pytest

from attnsvm.svm import separation, solve, solve_batch
from attnsvm.svm.checker import check
from attnsvm.svm.enclosures import Matrix
from attnsvm.svm.lifted_checker import Checker
from attnsvm.svm.verdict import relative_gap

ROW = np.zeros(1, int)


def problem(token, query, bound):
    return (np.array([[token], [0.0]]), np.array([[query]]), ROW, ROW + 1, ROW), np.array([bound]), np.array([False])


def claim(W, dual):
    return SimpleNamespace(status="solved", dual=np.array([dual]), W=np.array([[W]]), factors=None)


@pytest.mark.parametrize("norm", ["fro", "nuc", "spectral", "l1", "linf", "rowmax", "rowsum", "l1.5"])
@pytest.mark.parametrize(
    ("given", "made"), [(problem(2.0, 1.0, 2.2e-308), claim(2.0, 0.5)), (problem(1e59, 1e59, 1e-60), claim(1e150, 1.0))]
)
def test_a_margin_that_overflows_makes_no_norm_zero(norm, given, made):
    for tol in (1e-10, 0.5):
        assert check(*given, norm, tol, made).status != "solved"
    assert relative_gap(1e-178, 0.0) == np.inf
    assert relative_gap(0.0, 0.0) == 0.0


@pytest.mark.parametrize("norm", ["spectral", "nuc", "fro", "l1"])
def test_matrices_with_infinite_entries_have_no_norm_and_end(norm):
    """LAPACK's singular values of this one never end."""
    whole = Matrix(np.array([[-np.inf, 1e300, 1.0], [np.inf, 1.0, 1.0], [1.0, 2.0, 3.0]]))
    assert not whole.norm(norm) < np.inf


def test_remote_is_measured_by_every_row_small_bounds_too():
    tokens = np.array([[[1.0, 0, 0], [0, 0, 0]], [[0, 1e-20, 0], [0, 0, 0]]])
    c = separation(tokens, np.array([[1.0, 0], [1.0, 0]]), np.array([0, 0]), bound=np.array([1.0, 1e-3]))
    assert solve(c, "nuc").status != "remote"
    assert solve(c, "fro").status == "solved"


def test_row_numbers_of_mixed_kinds_are_judged_alike():
    (tokens, queries, query, winner, loser), bound, equality = problem(1.0, 1.0, 1.0)
    made = SimpleNamespace(status="infeasible", dual=np.array([1.0]), W=None, factors=None)
    mixed = tokens, queries, query.astype(np.uint64), winner.astype(np.uint64), loser
    assert check(mixed, bound, equality, "fro", 1e-10, made).status == "uncertified"
    hidden = np.ma.array(winner, mask=[True])
    assert check((tokens, queries, query, hidden, loser), bound, equality, "fro", 1e-10, made).status == "uncertified"


def test_a_problem_at_the_ends_of_the_range_has_an_answer_and_does_not_lose_its_batch():
    """Products of tiny numbers vanish, and solutions overflow: methods fail on them, each alone."""
    rng = np.random.default_rng(0)
    for norm in ("fro", "nuc", "l1", "linf", "spectral", "rowmax", "l1.5"):
        batch = [_extreme(rng) for _ in range(30)] + [separation(*_ordinary(rng))]
        answers = solve_batch(batch, norm)
        assert len(answers) == len(batch)
        assert answers[-1].status == "solved"
        assert all(answer.rejected for answer in answers if answer.status == "uncertified")
        assert {"solved", "uncertified"} <= {answer.status.value for answer in answers}


def _ordinary(rng):
    return rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 4)), np.eye(3, dtype=bool)[[0, 1]]


def _extreme(rng):
    """Constraints of inputs, one of which has tokens or a query up to 300 orders of magnitude smaller."""
    tokens, queries, selected = _ordinary(rng)
    small = rng.integers(2)
    (tokens, queries)[rng.integers(2)][small] *= 10.0 ** rng.uniform(-300, -140)
    tokens *= 10.0 ** rng.choice([0, 40])
    selected[small] |= rng.integers(2, size=3) > 0
    return separation(tokens, queries, selected)


def test_products_that_vanish_beside_huge_tokens_are_counted():
    """d·e products of half the smallest number round up to it: only tokens below 1e50 make so little of that."""
    d, size, small = 100, 1.9e60, 0.51 * 2.0**-549
    tokens, queries = np.zeros((4, d + 1)), np.zeros((2, d))
    tokens[0, :d], tokens[1, :d], queries[0], queries[1, 0] = size / 2, -size / 2, small, 1.0
    W = np.full((d + 1, d), 2.0**-525)
    first = 0.9 * d * d * size * 2.0**-1074
    tokens[2, -1] = 900 * first / W[0, 0]
    bound = np.array([first, W[0, 0] * tokens[2, -1]]) * (1 - 1e-12)
    given = (tokens, queries, np.array([0, 2]), np.array([1, 3]), np.array([0, 1])), bound, np.zeros(2, bool)
    answer = SimpleNamespace(status="solved", W=W, dual=np.array([0.0, 1.0]))
    needed = first / (d * d * size * small)
    said = check(*given, "linf", 0.3, answer)
    assert said.status != "solved" or said.high >= needed


@pytest.mark.parametrize("share", [1.3578, 1.0001, 1.9])
def test_the_words_of_a_bound_say_no_more_than_the_bound(share):
    small = 2.0**-24 * share
    tokens = np.array([[1.0, small], [-1.0, small], [0.0, 0.0]])
    rows = np.array([0, 1]), np.array([2, 2]), np.array([0, 0])
    given = (tokens, np.ones((1, 1)), *rows), np.ones(2), np.zeros(2, bool)
    said = check(*given, "fro", 1e-10, SimpleNamespace(status="remote", dual=np.ones(2)))
    assert said.status == "remote"
    words = float(said.reason.split("a norm of ")[1].split()[0])
    assert 0.99 / small < words <= said.low <= 1 / small


@pytest.mark.parametrize(
    "owner", [[1, 0, 1, 0], [0, 0, 2, 2], [0, 0, 1], [0.0, 0.0, 1.0, 1.0], [0, 0, 0, 0], [1, 1, 2, 2]]
)
def test_lifted_tokens_that_are_not_in_the_order_of_their_inputs_are_refused(owner):
    """Sums over an input took tokens of others: two rows that ask for the same were 'infeasible'."""
    content, places = np.array([[-1.0], [1.0], [0.0], [0.0]]), np.ones((4, 1))
    with pytest.raises(ValueError, match="owner: "):
        Checker(content, places, np.array([[-1.0], [1.0]]), np.array(owner))
