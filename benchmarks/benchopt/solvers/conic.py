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
    parameters = {"solver": ["CLARABEL", "SCS"]}

    def skip(self, tokens, queries, selected, norm):
        n, T, d = tokens.shape
        numbers = n * (T - 1) * d * queries.shape[1]
        return numbers > NUMBERS, f"the matrix of the constraints has {numbers:.0e} numbers"

    def set_objective(self, tokens, queries, selected, norm):
        c = separation(tokens, queries, selected)
        self.shape, self.norm = c.shape, norm
        self.rows = np.einsum("ka,kb->kab", c.left, c.right).reshape(len(c), -1)

    def run(self, _):
        W = cvxpy.Variable(self.shape)
        size = cvxpy.sum_squares(W) if self.norm == "fro" else cvxpy.normNuc(W)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate answer shows in its gap
            margins = self.rows @ cvxpy.vec(W, order="C")
            cvxpy.Problem(cvxpy.Minimize(size), [margins >= 1]).solve(solver=self.solver)
        self.W = np.zeros(self.shape) if W.value is None else W.value

    def get_result(self):
        return {"W": self.W}
