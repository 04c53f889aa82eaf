"""The (2, 1) norm: the sum of the rows' ℓ2 norms. Its dual is the largest norm of a row."""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class SumOfRows(Norm):
    """The sum of the rows' ℓ2 norms."""

    name, block_power, right_invariant = "rowsum", 1.0, True

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
        v = batch.vector
        batch.slopes.flatten(slope)
        matrix, direction, best, longest = slope.matrix, memory.direction, v.each(0.0), v.each(-1.0)
        for a in range(matrix.shape[0]):
            square = batch.slopes.squares(matrix[a : a + 1])
            longest = v.where(square > best, a, longest)
            best = v.larger(best, square)
        unit = 1.0 / (v.root(best) + batch.slopes.SMALLEST)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                v.store(direction[a, b], v.where(longest == a, v.load(matrix[a, b]) * unit, 0.0))


NORM = SumOfRows()
