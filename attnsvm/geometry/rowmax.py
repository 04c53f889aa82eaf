"""The (2, ∞) norm: the largest ℓ2 norm of a row. Its dual is the sum of the rows' norms.

Steepest descent in it divides every row of the gradient by the length of that row, as optimisers that normalise by rows
do.
"""

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.training import lanes
from attnsvm.training.lanes import LANES


class LargestRow(Norm):
    """The largest ℓ2 norm of a row."""

    name, block_power = "rowmax", np.inf
    reads_terms = True

    def value(self, W):
        return np.linalg.norm(W, axis=-1).max(-1)

    def dual(self, M):
        return np.linalg.norm(M, axis=-1).sum(-1)

    def steepest(self, M):
        largest = np.abs(M).max(1, keepdims=True)  # squares of rows of any size neither vanish nor overflow
        W = M / np.where(largest > 0, largest, 1.0)
        length = np.linalg.norm(W, axis=1, keepdims=True)
        return W / np.where(length > 0, length, 1.0)

    def expression(self, cvxpy, W):
        return cvxpy.max(cvxpy.norm(W, 2, axis=1))

    @staticmethod
    def steepest_lanes(_, slope, memory):
        """Every row divided by its length; a row of zeros stays.

        A row is added up in the unit of its largest nonzero term. So it counts fully, however small it is relative to
        the other rows.
        """
        left, right, weight, logs = slope.left, slope.right, slope.scaled, memory.room.scale
        direction, unit, size = memory.direction, memory.rows[0], memory.rows[1]
        n, d, e = len(left), direction.shape[0], direction.shape[1]
        for i in range(n):
            lanes.slopes.sum_of_squares(right[i : i + 1], size)
            for lane in range(LANES):
                logs[i, lane] = slope.logs[i, lane] if size[lane] > 0.0 else lanes.singular.NOTHING
        for a in range(d):
            for lane in range(LANES):
                unit[lane] = lanes.singular.NOTHING
            for i in range(n):
                for lane in range(LANES):
                    log = logs[i, lane] if left[i, a, lane] != 0.0 else lanes.singular.NOTHING
                    unit[lane] = max(unit[lane], log)
            for i in range(n):
                for lane in range(LANES):
                    share = lanes.arithmetic.exp(min(logs[i, lane] - unit[lane], 0.0))
                    weight[i, a, lane] = left[i, a, lane] * share
            for b in range(e):
                for lane in range(LANES):
                    direction[a, b, lane] = 0.0
                for i in range(n):
                    for lane in range(LANES):
                        direction[a, b, lane] += weight[i, a, lane] * right[i, b, lane]
            lanes.slopes.largest(direction[a : a + 1], size)
            for lane in range(LANES):
                unit[lane] = 1.0 / size[lane]
                size[lane] = 0.0
            for b in range(e):
                for lane in range(LANES):
                    direction[a, b, lane] *= unit[lane]
                    size[lane] += direction[a, b, lane] * direction[a, b, lane]
            for lane in range(LANES):
                size[lane] = 1.0 / np.sqrt(size[lane]) if size[lane] > 0.0 else 0.0
            for b in range(e):
                for lane in range(LANES):
                    direction[a, b, lane] *= size[lane]


NORM = LargestRow()
