"""The Frobenius norm: the root of the sum of the squared entries. It is its own dual."""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class Frobenius(Norm):
    """The root of the sum of the squared entries."""

    name, block_power, tolerance = "fro", 2.0, 1e-10
    unitarily_invariant = right_invariant = True

    def value(self, W):
        return np.linalg.norm(W, axis=(-2, -1))

    dual = value

    def steepest(self, M):
        return M / np.linalg.norm(M)

    def expression(self, cvxpy, W):
        return cvxpy.norm(W, "fro")

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """∇L/‖∇L‖_F."""
        v = batch.vector
        batch.slopes.flatten(slope)
        norm = v.root(batch.slopes.squares(slope.matrix)) + batch.slopes.SMALLEST
        batch.arithmetic.scaled(slope.matrix, 1.0 / norm, memory.direction)


NORM = Frobenius()
