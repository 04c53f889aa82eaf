"""The max norm: the largest absolute entry. Its dual is the entrywise ℓ1 norm."""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class EntrywiseMax(Norm):
    """The largest absolute entry."""

    name, block_power = "linf", np.inf

    def value(self, W):
        return np.abs(W).max((-2, -1))

    def dual(self, M):
        return np.abs(M).sum((-2, -1))

    def steepest(self, M):
        return np.where(M >= 0, 1.0, -1.0)

    def expression(self, cvxpy, W):
        return cvxpy.norm_inf(W)

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """The sign of every entry that is not zero."""
        v = batch.vector
        batch.slopes.flatten(slope)
        matrix, direction = slope.matrix, memory.direction
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                v.store(direction[a, b], batch.arithmetic.sign(v.load(matrix[a, b])))


NORM = EntrywiseMax()
