"""False statements near the ends of float64: overflow that made a norm zero, a small bound not seen, an endless SVD."""

from types import SimpleNamespace

import numpy as np
import pytest

from attnsvm.svm import separation, solve, solve_batch
from attnsvm.svm.alike import check_all
from attnsvm.svm.checker import check
from attnsvm.svm.enclosures import Matrix
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
        alone, (both, _) = check(*given, norm, tol, made), check_all([given, given], norm, tol, [made, made])
        assert alone.status == both.status != "solved"
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
