"""The (2, 1) norm: the sum of the rows' ℓ2 norms. Its dual is the largest norm of a row."""

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.training import lanes
from attnsvm.training.lanes import LANES


class SumOfRows(Norm):
    """The sum of the rows' ℓ2 norms."""

    name, block_power = "rowsum", 1.0

    def value(self, W):
        return np.linalg.norm(W, axis=-1).sum(-1)

    def dual(self, M):
        return np.linalg.norm(M, axis=-1).max(-1)

    def steepest(self, M):
        length, W = np.linalg.norm(M, axis=1), np.zeros_like(M)
        longest = length.argmax()
        W[longest] = M[longest] / length[longest]
        return W

    def expression(self, cvxpy, W):
        return cvxpy.sum(cvxpy.norm(W, 2, axis=1))

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """The longest row alone, the first of equals, divided by its length."""
        lanes.slopes.flatten(slope)
        matrix, direction, best, where = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
        size = memory.rows[2]
        for lane in range(LANES):
            best[lane] = 0.0
            where[lane] = -1.0
        for a in range(matrix.shape[0]):
            lanes.slopes.sum_of_squares(matrix[a : a + 1], size)
            for lane in range(LANES):
                where[lane] = float(a) if size[lane] > best[lane] else where[lane]
                best[lane] = max(best[lane], size[lane])
        for lane in range(LANES):
            size[lane] = 1.0 / (np.sqrt(best[lane]) + lanes.slopes.SMALLEST)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] = matrix[a, b, lane] * size[lane] if where[lane] == float(a) else 0.0


NORM = SumOfRows()
