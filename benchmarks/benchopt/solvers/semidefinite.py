"""Semidefinite solvers on the dual of the nuclear norm, as data of the solver itself, no modelling language between.

    maximise Σ λ_k  s.t.  λ ≥ 0,  [[I, −M], [−Mᵀ, I]] ⪰ 0,  M = Σ λ_k A_k

W is twice the upper right block of the multiplier of the semidefinite constraint.
"""

import numpy as np
import scipy.sparse as sp
from benchopt import BaseSolver

from attnsvm.svm import separation

NUMBERS = 1e7  # of the matrix of constraints
ACCURACY = 1e-9  # asked for; cvxopt goes astray where it is asked for more


def blocks(c):
    """The matrices [[0, A_k], [A_kᵀ, 0]], (m, d + e, d + e)."""
    d, e = c.shape
    out = np.zeros((len(c), d + e, d + e))
    out[:, :d, d:] = np.einsum("ka,kb->kab", c.left, c.right)
    out[:, d:, :d] = out[:, :d, d:].swapaxes(1, 2)
    return out


def packed(matrices, first, second):
    """Their entries at `first`, `second`, those off the diagonal times √2: one column a matrix."""
    return (matrices[..., first, second] * np.where(first == second, 1.0, np.sqrt(2.0))).T


def unpacked(values, first, second, size):
    """The symmetric matrix with these entries."""
    out = np.zeros((size, size))
    out[first, second] = out[second, first] = values / np.where(first == second, 1.0, np.sqrt(2.0))
    return out


def clarabel(c):
    import clarabel

    m, size = len(c), sum(c.shape)
    second, first = np.tril_indices(size)  # the upper triangle, column by column
    A = sp.vstack([-sp.eye(m), sp.csc_matrix(packed(blocks(c), first, second))], format="csc")
    b = np.concatenate([np.zeros(m), packed(np.eye(size), first, second)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = ACCURACY
    cones = [clarabel.NonnegativeConeT(m), clarabel.PSDTriangleConeT(size)]
    found = clarabel.DefaultSolver(sp.csc_matrix((m, m)), -np.ones(m), A, b, cones, settings).solve()
    return unpacked(np.array(found.z)[m:], first, second, size)


def scs(c):
    import scs

    m, size = len(c), sum(c.shape)
    second, first = np.triu_indices(size)  # the lower triangle, column by column
    A = sp.vstack([-sp.eye(m), sp.csc_matrix(packed(blocks(c), first, second))], format="csc")
    b = np.concatenate([np.zeros(m), packed(np.eye(size), first, second)])
    data, cone = {"A": A, "b": b, "c": -np.ones(m)}, {"l": m, "s": [size]}
    found = scs.SCS(data, cone, verbose=False, eps_abs=ACCURACY, eps_rel=ACCURACY, max_iters=100_000).solve()
    return unpacked(found["y"][m:], first, second, size)


def cvxopt(c):
    import cvxopt
    from cvxopt import solvers

    m, size = len(c), sum(c.shape)
    G = cvxopt.matrix(blocks(c).reshape(m, -1).T.copy())
    options = {"show_progress": False, "abstol": ACCURACY, "reltol": ACCURACY, "feastol": ACCURACY}
    positive = cvxopt.spmatrix(-1.0, range(m), range(m))
    found = solvers.sdp(
        cvxopt.matrix(-np.ones(m)),
        positive,
        cvxopt.matrix(np.zeros(m)),
        [G],
        [cvxopt.matrix(np.eye(size))],
        options=options,
    )
    return np.array(found["zs"][0])


PACKAGES = {"clarabel": clarabel, "scs": scs, "cvxopt": cvxopt}


class Solver(BaseSolver):
    name = "semidefinite"
    sampling_strategy = "run_once"
    requirements = ["pip::clarabel", "pip::scs", "pip::cvxopt"]
    parameters = {"solver": list(PACKAGES)}

    def skip(self, tokens, queries, selected, norm):
        n, T, d = tokens.shape
        numbers = n * (T - 1) * (d + queries.shape[1]) ** 2
        return norm != "nuc" or numbers > NUMBERS, f"for the nuclear norm; the constraints have {numbers:.0e} numbers"

    def set_objective(self, tokens, queries, selected, norm):
        self.constraints = separation(tokens, queries, selected)

    def run(self, _):
        d = self.constraints.shape[0]
        self.W = 2 * PACKAGES[self.solver](self.constraints)[:d, d:]

    def get_result(self):
        return {"W": self.W}
