"""Solvers of quadratic programs on min ½‖w‖² s.t. G w ≥ 1, the constraints as one dense matrix G of m·d·e numbers."""

import sys
from pathlib import Path

import numpy as np
from benchopt import BaseSolver

from attnsvm.svm import separation

sys.path.append(str(Path(__file__).parents[2]))
from quadratic_programs import PACKAGES

NUMBERS = 1e7  # of the matrix of constraints, beyond which these solvers take minutes or the memory


class Solver(BaseSolver):
    name = "quadratic"
    sampling_strategy = "run_once"
    requirements = ["pip::daqp", "pip::quadprog", "pip::piqp", "pip::proxsuite"]
    parameters = {"solver": list(PACKAGES)}

    def skip(self, tokens, queries, selected, norm):
        n, T, d = tokens.shape
        numbers = n * (T - 1) * d * queries.shape[1]
        return (
            norm != "fro" or numbers > NUMBERS,
            f"for the Frobenius norm; the matrix of the constraints has {numbers:.0e} numbers",
        )

    def set_objective(self, tokens, queries, selected, norm):
        c = separation(tokens, queries, selected)
        self.shape = c.shape
        self.rows = np.einsum("ka,kb->kab", c.left, c.right).reshape(len(c), -1)

    def run(self, _):
        self.W = PACKAGES[self.solver](self.rows).reshape(self.shape)

    def get_result(self):
        return {"W": self.W}
