"""cvxpy with a conic solver, the constraints as one matrix of m·d·e numbers; too large beyond some thousand."""

import warnings

import cvxpy
import numpy as np
from benchopt import BaseSolver

from attnsvm.svm import separation

NUMBERS = 1e7  # of the matrix of constraints, beyond which a conic solver takes minutes or the memory


class Solver(BaseSolver):
    name = "conic"
    sampling_strategy = "run_once"
    parameters = {"solver": ["CLARABEL", "SCS", "OSQP"]}

    def skip(self, tokens, queries, selected):
        n, T, d = tokens.shape
        numbers = n * (T - 1) * d * queries.shape[1]
        return numbers > NUMBERS, f"the matrix of the constraints has {numbers:.0e} numbers"

    def set_objective(self, tokens, queries, selected):
        c = separation(tokens, queries, selected)
        self.shape = c.shape
        self.rows = np.einsum("ka,kb->kab", c.left, c.right).reshape(len(c), -1)

    def run(self, _):
        w = cvxpy.Variable(self.rows.shape[1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate answer shows in its gap
            cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w)), [self.rows @ w >= 1]).solve(solver=self.solver)
        self.W = np.zeros(self.shape) if w.value is None else w.value.reshape(self.shape)

    def get_result(self):
        return {"W": self.W}
