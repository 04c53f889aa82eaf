"""The Frobenius norm: the root of the sum of the squared entries. It is its own dual."""

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.training import lanes
from attnsvm.training.lanes import LANES


class Frobenius(Norm):
    """The root of the sum of the squared entries."""

    name, block_power, unitarily_invariant = "fro", 2.0, True
    tolerance = 1e-10

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
        lanes.slopes.flatten(slope)
        size, matrix, direction = memory.rows[0], slope.matrix, memory.direction
        lanes.slopes.sum_of_squares(matrix, size)
        for lane in range(LANES):
            size[lane] = 1.0 / (np.sqrt(size[lane]) + lanes.slopes.SMALLEST)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] = matrix[a, b, lane] * size[lane]


NORM = Frobenius()
