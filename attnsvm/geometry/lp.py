"""The entrywise ℓp norms, 1 < p < ∞: (Σ |W_ab|^p)^(1/p). The dual of ℓp is ℓq with 1/p + 1/q = 1."""

import numpy as np

from attnsvm import batch
from attnsvm.geometry import Norm

SMALLEST_P, LARGEST_P = 1.01, 100.0  # nearer to l1 or linf, powers leave the range of floats


class EntrywiseLp(Norm):
    """(Σ |W_ab|^p)^(1/p) with 1 < p < ∞; its dual has 1/p + 1/q = 1."""

    def __init__(self, p: float):
        self.p, self.q = p, p / (p - 1)
        self.name, self.block_power, self.parameter = f"l{p!r}", p, p

    def value(self, W):
        return (np.abs(W) ** self.p).sum((-2, -1)) ** (1 / self.p)

    def dual(self, M):
        return (np.abs(M) ** self.q).sum((-2, -1)) ** (1 / self.q)

    def steepest(self, M):
        power = np.sign(M) * np.abs(M) ** (self.q - 1)
        return power / self.value(power)

    def expression(self, cvxpy, W):
        return cvxpy.pnorm(cvxpy.vec(W, order="C"), self.p)

    @staticmethod
    def steepest_lanes(p, slope, memory):
        """sign(∇L)|∇L|^(q − 1) divided by its ℓp norm, 1/p + 1/q = 1."""
        v = batch.vector
        batch.slopes.flatten(slope)
        matrix, direction, q = slope.matrix, memory.direction, p / (p - 1.0)
        unit, total = 1.0 / batch.slopes.largest(matrix), v.each(0.0)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                g = v.load(matrix[a, b]) * unit
                power = batch.arithmetic.signed_power(g, q - 1.0)
                total = total + power * g
                v.store(direction[a, b], power)
        batch.arithmetic.scaled(direction, batch.arithmetic.power(total, -1.0 / p), direction)


def norm(p: float) -> EntrywiseLp:
    """The norm ℓp.

    Raises:
        ValueError: p is not from 1.01 to 100.
    """
    if not SMALLEST_P <= p <= LARGEST_P:
        raise ValueError(f"norm: expected p of l<p> from {SMALLEST_P} to {LARGEST_P:g}, got {p!r}")
    return EntrywiseLp(p)
