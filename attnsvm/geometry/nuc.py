"""The nuclear norm: the sum of the singular values. Its dual is the spectral norm."""

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.training import lanes


class Nuclear(Norm):
    """The sum of the singular values."""

    name, block_power, unitarily_invariant = "nuc", 1.0, True
    reads_terms = True

    def value(self, W):
        return np.linalg.svd(W, compute_uv=False).sum(-1)

    def dual(self, M):
        return np.linalg.svd(M, compute_uv=False)[..., 0]

    def steepest(self, M):
        U, _, Vt = np.linalg.svd(M)
        return np.outer(U[:, 0], Vt[0])

    def expression(self, cvxpy, W):
        return cvxpy.normNuc(W)

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """The leading pair of singular vectors."""
        lanes.singular.polar(slope.left, slope.right, slope.logs, memory.room, 1, memory.direction)


NORM = Nuclear()
