"""The (2, ∞) norm: the largest ℓ2 norm of a row. Its dual is the sum of the rows' norms.

Steepest descent in it divides every row of the gradient by the length of that row, as optimisers that normalise by rows
do.
"""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm


class LargestRow(Norm):
    """The largest ℓ2 norm of a row."""

    name, block_power = "rowmax", np.inf
    reads_terms = right_invariant = True

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
        v = batch.vector
        left, right, weight, logs = slope.left, slope.right, slope.scaled, memory.room.scale
        direction, nothing = memory.direction, batch.singular.NOTHING
        n, d, e = len(left), direction.shape[0], direction.shape[1]
        for i in range(n):
            v.store(logs[i], v.where(batch.slopes.squares(right[i : i + 1]) > 0.0, v.load(slope.logs[i]), nothing))
        for a in range(d):
            unit = v.each(nothing)
            for i in range(n):
                unit = v.larger(unit, v.where(v.load(left[i, a]) == 0.0, nothing, v.load(logs[i])))
            for i in range(n):
                share = batch.arithmetic.exp(v.smaller(v.load(logs[i]) - unit, 0.0))
                v.store(weight[i, a], v.load(left[i, a]) * share)
            for b in range(e):
                total = v.each(0.0)
                for i in range(n):
                    total = total + v.load(weight[i, a]) * v.load(right[i, b])
                v.store(direction[a, b], total)
            row = direction[a : a + 1]
            batch.arithmetic.scaled(row, 1.0 / batch.slopes.largest(row), row)
            square = batch.slopes.squares(row)
            batch.arithmetic.scaled(row, v.where(square > 0.0, 1.0 / v.root(square), 0.0), row)


NORM = LargestRow()
