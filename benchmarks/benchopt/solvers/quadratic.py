"""Solvers of quadratic programs on min ½‖w‖² s.t. G w ≥ 1, the constraints as one dense matrix G of m·d·e numbers."""

import numpy as np
from benchopt import BaseSolver

from attnsvm.svm import separation

NUMBERS = 1e7  # of the matrix of constraints, beyond which these solvers take minutes or the memory
ACCURACY = 1e-12  # asked for where it can be said


def daqp(G):
    """Dual active set in C."""
    import daqp

    m, size = G.shape
    free, sense = np.full(m, 1e30), np.zeros(m, dtype=np.intc)
    return daqp.solve(np.eye(size), np.zeros(size), G, free, np.ones(m), sense, primal_tol=ACCURACY)[0]


def quadprog(G):
    """Dual active set of Goldfarb and Idnani, in C."""
    import quadprog

    return quadprog.solve_qp(np.eye(G.shape[1]), np.zeros(G.shape[1]), G.T, np.ones(len(G)))[0]


def piqp(G):
    """Proximal interior point in C++."""
    import piqp

    solver = piqp.DenseSolver()
    solver.settings.eps_abs, solver.settings.eps_rel, solver.settings.eps_duality_gap_abs = ACCURACY, 0.0, ACCURACY
    solver.settings.eps_duality_gap_rel = 0.0
    solver.setup(np.eye(G.shape[1]), np.zeros(G.shape[1]), None, None, G, np.ones(len(G)), None)
    solver.solve()
    return np.array(solver.result.x)


def proxqp(G):
    """Proximal augmented Lagrangian in C++."""
    import proxsuite

    d, m = G.shape[1], len(G)
    solver = proxsuite.proxqp.dense.QP(d, 0, m)
    solver.settings.eps_abs, solver.settings.eps_rel = ACCURACY, 0.0
    solver.init(np.eye(d), np.zeros(d), None, None, G, np.ones(m), np.full(m, 1e20))
    solver.solve()
    return np.array(solver.results.x)


PACKAGES = {"daqp": daqp, "quadprog": quadprog, "piqp": piqp, "proxqp": proxqp}


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
