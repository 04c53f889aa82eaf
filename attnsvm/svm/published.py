"""The SVM solves exactly as the official notebooks do them, defects included: for comparison, never for a claim.

One cvxpy problem an instance, the default solver, no look at its status; the rank is counted at an absolute 1e-7, and
where the solver returns no matrix `numpy.linalg.matrix_rank(None)` says 1.
"""

import warnings

import numpy as np

from attnsvm import norms
from attnsvm.svm.constraints import Constraints

RANK_TOLERANCE = 1e-7


def published_solution(constraints: Constraints, norm: str) -> np.ndarray | None:
    """W (d, e), or None where the solver gave none.

    The constraints enter as one matrix inequality, not one by one: the cone program cvxpy hands over is the same.
    """
    import cvxpy

    W = cvxpy.Variable((constraints.left.shape[1], constraints.right.shape[1]))
    rows = (constraints.left[:, :, None] * constraints.right[:, None, :]).reshape(len(constraints), -1)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(W, norm)), [-rows @ cvxpy.vec(W, order="C") <= -1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 'may be inaccurate': the notebooks go on, so do we
        problem.solve()
    return W.value


def published_rank(W: np.ndarray | None) -> int:
    """The rank as the notebooks count it; 1 for None."""
    return int(np.linalg.matrix_rank(W, tol=RANK_TOLERANCE))


def published_gap(constraints: Constraints, norm: str, W: np.ndarray | None, dual: np.ndarray, solved: bool) -> float:
    """Relative duality gap of the published W, scaled so that its smallest margin is 1, against certified multipliers.

    NaN where there is no such W or no certified optimum.
    """
    if W is None or not solved:
        return np.nan
    margin = constraints.apply(W).min()
    if not margin > 0:
        return np.nan
    value = float(norms.get(norm).value(W / margin))
    return (value - float(constraints.bound @ dual)) / value
