"""Solvers of quadratic programs on min ½‖w‖² s.t. G w ≥ 1, G (m, numbers of w) dense; each where it is installed."""

import numpy as np

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
