"""Least norm for any norm with a cvxpy expression, by a general conic solver."""

import warnings

import numpy as np

from attnsvm.geometry import Norm

ACCURACY = 1e-11  # asked of the solver; what it reached is what the certificate says


def least_norm_conic(
    rows: np.ndarray, bound: np.ndarray, equality: np.ndarray, shape: tuple[int, int], norm: Norm
) -> tuple[np.ndarray, np.ndarray]:
    """Solve min ‖W‖ s.t. rows · vec(W) ≥ bound, with equality on the rows marked, for a feasible problem.

    Args:
        rows: (m, d·e), the constraints on W in row-major order, of size about one.
        bound: (m,), equality: (m,) bool.
        shape: (d, e) of W.

    Returns:
        W (d, e) and the multipliers (m,), non-negative on inequalities.
    """
    try:
        import cvxpy
    except ImportError as error:
        raise ImportError("this norm needs cvxpy, which is not installed: pip install 'attnsvm[norms]'") from error

    W = cvxpy.Variable(shape)
    flat = cvxpy.vec(W, order="C")
    margins = [rows[~equality] @ flat >= bound[~equality]] if (~equality).any() else []
    equalities = [bound[equality] - rows[equality] @ flat == 0] if equality.any() else []
    problem = cvxpy.Problem(cvxpy.Minimize(norm.expression(W)), margins + equalities)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an inaccurate answer shows in its gap
        problem.solve(
            solver=cvxpy.CLARABEL,
            tol_gap_abs=ACCURACY,
            tol_gap_rel=ACCURACY,
            tol_feas=ACCURACY,
            reduced_tol_gap_abs=1e-5,
            reduced_tol_gap_rel=1e-5,
            reduced_tol_feas=1e-5,
        )
    if W.value is None:
        return np.zeros(shape), np.zeros(len(bound))
    dual = np.zeros(len(bound))
    if margins:
        dual[~equality] = np.maximum(margins[0].dual_value, 0.0)
    if equalities:
        dual[equality] = equalities[0].dual_value
    return W.value, dual
