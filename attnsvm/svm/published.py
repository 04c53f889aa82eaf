"""The SVM solves exactly as the official notebooks do them, defects included: for comparison, never for a claim.

One cvxpy problem per instance, by the solver that cvxpy chooses where SCS is installed, its status ignored; the rank is
counted at an absolute 1e-7, and where there is no matrix `numpy.linalg.matrix_rank(None)` returns 1.
"""

import warnings
from functools import cache

import numpy as np

from attnsvm import geometry
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.methods.programs import Program
from attnsvm.svm.reductions import outer
from attnsvm.system import extras

RANK_TOLERANCE = 1e-7
SOLVERS = {"fro": "CLARABEL", "nuc": "SCS"}


def published_solution(constraints: Constraints, norm: str) -> np.ndarray | None:
    """W (d, e), or None where the solver gave none."""
    left, right = constraints.left, constraints.right
    program = _program(len(constraints), left.shape[1], right.shape[1], norm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 'may be inaccurate': the notebooks go on, so do we
        return program.unpacked(program.solve(outer(left, right), np.ones(len(left))))


@cache
def _program(m: int, d: int, e: int, norm: str) -> Program:
    extras.needed("cvxpy", SOLVERS[norm].lower())
    import cvxpy

    W = cvxpy.Variable((d, e))
    return Program(cvxpy.norm(W, norm), W, np.zeros(m, dtype=bool), SOLVERS[norm])


def published_rank(W: np.ndarray | None) -> int:
    """The rank as the notebooks count it; 1 for None."""
    return 1 if W is None else int(np.linalg.matrix_rank(W, tol=RANK_TOLERANCE))


def published_gap(constraints: Constraints, norm: str, W: np.ndarray | None, dual: np.ndarray, solved: bool) -> float:
    """Relative duality gap of the published W, scaled so that its smallest margin is 1, against certified multipliers.

    NaN where there is no published W or no certified optimum.
    """
    if W is None or not solved:
        return np.nan
    margin = constraints.apply(W).min()
    if not margin > 0:
        return np.nan
    value = float(geometry.get(norm).value(W / margin))
    return (value - float(constraints.bound @ dual)) / value
