"""The SVM solves exactly as the official notebooks do them, defects included: for comparison, never for a claim.

One cvxpy problem per instance, the default solver, its status ignored; the rank is counted at an absolute 1e-7, and
where the solver returns no matrix `numpy.linalg.matrix_rank(None)` returns 1.
"""

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from attnsvm import geometry
from attnsvm.svm.constraints import Constraints

RANK_TOLERANCE = 1e-7


def published_solution(constraints: Constraints, norm: str) -> np.ndarray | None:
    """W (d, e), or None where the solver gave none.

    Problems of one shape differ only in the numbers of one block of the cone program. cvxpy compiles the first
    problem; the numbers of the others are written into it, and the solver that cvxpy chose gets the same input as
    from cvxpy.
    """
    left, right = constraints.left, constraints.right
    program = _program(len(constraints), left.shape[1], right.shape[1], norm)
    rows = left[:, :, None] * right[:, None, :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 'may be inaccurate': the notebooks go on, so do we
        return program.solve(rows)


class Program(NamedTuple):
    """A compiled cvxpy problem: minimise ‖W‖ subject to ⟨row_k, W⟩ ≥ 1 for m matrices."""

    problem: Any
    W: Any
    data: dict
    chain: Any
    inverse_data: list

    def cone_matrix(self, rows: np.ndarray):
        """The matrix of the cone program with the matrices `rows` (m, d, e) in it; as in cvxpy, no zero is stored."""
        A = self.data["A"].copy()
        A.data[A.indices < len(rows)] = -rows.T.ravel()  # entry by entry of W as it lies in columns, then row by row
        A.eliminate_zeros()
        return A

    def solve(self, rows: np.ndarray) -> np.ndarray | None:
        """W for the matrices `rows` (m, d, e)."""
        solution = self.chain.solve_via_data(self.problem, self.data | {"A": self.cone_matrix(rows)})
        self.problem.unpack_results(solution, self.chain, self.inverse_data)
        return self.W.value


@cache
def _program(m: int, d: int, e: int, norm: str) -> Program:
    import cvxpy

    # The constraints enter as one matrix inequality, not one by one: the cone program is the same.
    W = cvxpy.Variable((d, e))
    rows = np.ones((m, d * e))  # in place of numbers that are not zero
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(W, norm)), [-rows @ cvxpy.vec(W, order="C") <= -1])
    return Program(problem, W, *problem.get_problem_data(None, solver_opts={}))


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
