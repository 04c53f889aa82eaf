"""The entrywise ℓ1 norm: the sum of the absolute entries. Its dual is the max norm."""

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.training import lanes
from attnsvm.training.lanes import LANES


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
        lanes.slopes.flatten(slope)
        matrix, direction, best, where = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
        d, e = matrix.shape[:2]
        for lane in range(LANES):
            best[lane] = 0.0
            where[lane] = -1.0
        for a in range(d):
            for b in range(e):
                for lane in range(LANES):
                    size = abs(matrix[a, b, lane])
                    where[lane] = float(a * e + b) if size > best[lane] else where[lane]
                    best[lane] = max(best[lane], size)
        for a in range(d):
            for b in range(e):
                for lane in range(LANES):
                    sign = 1.0 if matrix[a, b, lane] > 0.0 else -1.0
                    direction[a, b, lane] = sign if where[lane] == float(a * e + b) else 0.0


NORM = EntrywiseL1()
