"""The hybrid norm: the spectral norm of all columns but the last, or the max norm of the last, whichever is larger.

Its steepest descent is Muon with Adam or Signum beside it, which train matrices by the one and vectors by the other
(arXiv 2602.16340): where the last number of every query is one, the last column of W is a bias of the keys.
"""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class Hybrid(Norm):
    """The larger of the two; the dual is the sum of the nuclear norm and of the ℓ1 norm of the last column."""

    name, block_power, reads_terms = "hybrid", None, True

    def value(self, W):
        return np.maximum(_singular(W).max(-1, initial=0.0), np.abs(W[..., -1]).max(-1))

    def dual(self, M):
        return _singular(M).sum(-1) + np.abs(M[..., -1]).sum(-1)

    def steepest(self, M):
        U, sigma, Vt = np.linalg.svd(M[:, :-1], full_matrices=False)
        kept = sigma > 1e-12 * sigma.max(initial=0.0)
        return np.column_stack([U[:, kept] @ Vt[kept], np.where(M[:, -1] >= 0, 1.0, -1.0)])

    def expression(self, cvxpy, W):
        last = cvxpy.norm_inf(W[:, -1])
        return cvxpy.maximum(cvxpy.sigma_max(W[:, :-1]), last) if W.shape[1] > 1 else last

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """The polar factor of all columns but the last, beside the sign of every entry of the last."""
        v = batch.vector
        batch.slopes.flatten(slope)
        right, matrix, direction, kept = slope.right, slope.matrix, memory.direction, slope.scaled
        last = right.shape[1] - 1
        for i in range(len(right)):
            v.store(kept[i, 0], v.load(right[i, last]))
            v.store(right[i, last], v.each(0.0))
        batch.singular.polar(slope.left, right, slope.logs, memory.room, len(right), direction)
        for i in range(len(right)):
            v.store(right[i, last], v.load(kept[i, 0]))
        for a in range(matrix.shape[0]):
            v.store(direction[a, last], batch.arithmetic.sign(v.load(matrix[a, last])))


def _singular(W: np.ndarray) -> np.ndarray:
    """The singular values of all columns but the last, (..., min(d, e − 1))."""
    return np.linalg.svd(W[..., :-1], compute_uv=False)


NORM = Hybrid()
