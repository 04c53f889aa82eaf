"""The active set by itself: from a poor start, and with equalities whose bounds are not zero."""

import cvxpy as cp
import numpy as np
import pytest

from attnsvm.svm.methods.active_set import OPTIONS, _active_set, least_norm


def problem(seed, m=12, k=9):
    """Rows of length one and bounds of which some are positive, and a point that meets them all."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, k))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    return A, A @ rng.standard_normal(k) - rng.uniform(0, 0.3, m)


@pytest.mark.parametrize("seed", range(5))
def test_from_one_active_row_it_finds_all_that_hold_the_solution(seed):
    """The start of `least_norm` is so good that a step which takes a constraint up is rarely needed there."""
    A, b = problem(seed)
    expected, _, feasible, sure = least_norm(A, b, np.zeros(len(b), dtype=bool))
    assert feasible
    assert sure
    start = np.zeros(len(b))
    start[b.argmax()] = b.max()
    w, dual, settled = _active_set(A, b, start, OPTIONS)
    assert settled
    assert (start > 0).sum() < (dual > 0).sum(), "the start was the answer"
    np.testing.assert_allclose(w, expected, rtol=0, atol=1e-12 * np.linalg.norm(expected))
    np.testing.assert_allclose(A.T @ dual, w, rtol=0, atol=1e-12 * np.linalg.norm(expected))


@pytest.mark.parametrize("seed", range(5))
def test_equalities_whose_bounds_are_not_zero_agree_with_another_solver(seed):
    A, b = problem(seed)
    equality = np.arange(len(b)) < 3
    w, dual, feasible, _ = least_norm(A, b, equality)
    assert feasible
    other = cp.Variable(A.shape[1])
    value = cp.Problem(
        cp.Minimize(cp.sum_squares(other)), [A[equality] @ other == b[equality], A[~equality] @ other >= b[~equality]]
    ).solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    assert value == pytest.approx(w @ w, rel=1e-9)
    np.testing.assert_allclose(w, other.value, rtol=0, atol=1e-6)  # the square root of what the values agree to
    np.testing.assert_allclose(A.T @ dual, w, rtol=0, atol=1e-10)
    assert (dual[~equality] >= 0).all()
