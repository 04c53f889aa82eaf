"""The entrywise ℓ1 norm: the sum of the absolute entries. Its dual is the max norm."""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class EntrywiseL1(Norm):
    """The sum of the absolute entries."""

    name, block_power = "l1", 1.0

    def value(self, W):
        return np.abs(W).sum((-2, -1))

    def dual(self, M):
        return np.abs(M).max((-2, -1))

    def steepest(self, M):
        W = np.zeros_like(M)
        largest = np.unravel_index(np.abs(M).argmax(), M.shape)
        W[largest] = np.sign(M[largest])
        return W

    def expression(self, cvxpy, W):
        return cvxpy.sum(cvxpy.abs(W))

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """The sign of the largest entry alone, the first of equals."""
        v = batch.vector
        batch.slopes.flatten(slope)
        matrix, direction, best, place = slope.matrix, memory.direction, v.each(0.0), v.each(-1.0)
        d, e = matrix.shape[:2]
        for a in range(d):
            for b in range(e):
                size = abs(v.load(matrix[a, b]))
                place = v.where(size > best, a * e + b, place)
                best = v.larger(best, size)
        for a in range(d):
            for b in range(e):
                sign = v.where(v.load(matrix[a, b]) > 0.0, 1.0, -1.0)
                v.store(direction[a, b], v.where(place == a * e + b, sign, 0.0))


NORM = EntrywiseL1()
