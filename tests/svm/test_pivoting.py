"""Non-negative quadratic programs that grow: the answer is that of a solver that sees all of them at once."""

import numpy as np
import pytest
from scipy.linalg import cholesky
from scipy.optimize import nnls

from attnsvm.svm.methods import pivoting
from attnsvm.svm.methods.pivoting import Growing


def problem(size=40, dimensions=60, seed=0, common=0.5):
    """A matrix C with ones on its diagonal and entries that are positive on average, and b > 0."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, dimensions)) + common
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T, rng.uniform(0.5, 2, size)


def least(C, b):
    """By Lawson and Hanson: ½ xᵀCx − bᵀx is half of ‖Ux − U⁻ᵀb‖² less a constant."""
    U = cholesky(C)
    return nnls(U, np.linalg.solve(U.T, b), maxiter=1000)[0]


def grown(C, b, parts, ridge=1e-9, shrinking=False):
    """The solution after the unknowns of each part came in."""
    made = Growing(ridge)
    for part in parts:
        made.extend(part, C[np.ix_(part, made.rows)], C[np.ix_(part, part)], b[part])
        made.solve()
        made.refine()
        if shrinking:
            made.shrink()
    x = np.zeros(len(b))
    x[made.rows] = made.x
    return x, made


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("parts", [1, 4])
def test_the_solution_is_that_of_another_solver_however_the_problem_grew(parts, seed):
    C, b = problem(seed=seed)
    expected = least(C, b)
    x, made = grown(C, b, np.array_split(np.random.default_rng(seed).permutation(len(b)), parts))
    assert 0 < (expected > 0).sum() < len(b)
    np.testing.assert_array_equal(np.sort(made.rows[made.positive]), np.flatnonzero(expected > 0))
    np.testing.assert_allclose(x, expected, atol=1e-12)


def test_unknowns_at_zero_are_left_out_where_they_are_many():
    C, b = problem(common=1.0)
    x, made = grown(C, b, np.array_split(np.arange(len(b)), 3), shrinking=True)
    left = made.rows
    assert made.positive.all()
    assert len(left) < len(b)
    np.testing.assert_allclose(x[left], least(C[np.ix_(left, left)], b[left]), atol=1e-12)
    before = made.rows
    made.shrink()
    assert made.rows is before  # few are at zero


def test_equal_unknowns_share_what_one_of_them_would_have():
    C, b = problem(common=0.0)
    twice = np.append(np.arange(len(b)), np.argmax(least(C, b)))
    x, _ = grown(C[np.ix_(twice, twice)], b[twice], [np.arange(len(twice))])
    whole = np.bincount(twice, x)
    np.testing.assert_allclose(whole, least(C, b), atol=1e-10)


def test_pivots_that_come_to_no_end_leave_numbers_that_are_not_negative(monkeypatch):
    monkeypatch.setattr(pivoting, "PIVOTS", 1)
    C, b = problem()
    x, _ = grown(C, b, [np.arange(len(b))])
    assert (x >= 0).all()
    assert x.any()
