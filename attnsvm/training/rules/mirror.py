"""ℓp mirror descent on W, normalised."""

from typing import NamedTuple

import numpy as np

from attnsvm.training.lanes.arithmetic import LANES, exp, power
from attnsvm.training.lanes.slopes import SMALLEST, flatten, largest
from attnsvm.training.rules.gradient_descent import EPSILON
from attnsvm.training.rules.protocol import Alone


class Numbers(NamedTuple):
    """See `Mirror`."""

    learning_rate: float
    p: float
    epsilon: float
    rescaled: bool


class Mirror(Numbers, Alone):
    """ℓp mirror descent: V ← V − η ∇L/(‖∇L‖_q + epsilon), W = sign(V)|V|^(1/(p − 1))."""

    parametrisations = ("W",)
    matrices = 1  # V

    def direct(self, slope, memory, step):
        flatten(slope)
        matrix, direction, top, total = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
        q = self.p / (self.p - 1.0)
        largest(matrix, top)
        for lane in range(LANES):
            total[lane] = 0.0
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    total[lane] += power(abs(matrix[a, b, lane]) / top[lane], q)
        for lane in range(LANES):
            factor = 1.0 if self.rescaled else exp(slope.common[lane])
            total[lane] = factor / (power(total[lane], 1.0 / q) * top[lane] * factor + self.epsilon)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] = matrix[a, b, lane] * total[lane]

    def apply(self, weights, memory, rate, step):
        direction, dual = memory.direction, memory.kept[0]
        forth, back = self.p - 1.0, 1.0 / (self.p - 1.0)
        if step == 0:  # V, of the weights before the first step
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    for lane in range(LANES):
                        size = power(abs(weights[a, b, lane]), forth)
                        dual[a, b, lane] = size if weights[a, b, lane] >= 0.0 else -size
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                for lane in range(LANES):
                    dual[a, b, lane] -= rate[lane] * direction[a, b, lane]
                    size = power(abs(dual[a, b, lane]), back)
                    weights[a, b, lane] = size if dual[a, b, lane] >= 0.0 else -size


def mirror(p: float, learning_rate: float, published: bool = False) -> Mirror:
    """ℓp mirror descent on W, normalised: sign(W)|W|^(p−1) ← itself − η ∇L/(‖∇L‖_q + ε), q = p/(p − 1).

    Published (arXiv 2410.14581 and its code): ε = 2.2e-16, and the steps end once the norm falls below it. Otherwise
    ε = 0, and the factor of a vanishing gradient is kept apart: the same step at any ‖W‖.

    Raises:
        ValueError: p is not above 1.
    """
    if not 1 < p < np.inf:
        raise ValueError(f"p: expected a number above 1, got {p!r}")
    epsilon = EPSILON if published else SMALLEST
    return Mirror(float(learning_rate), float(p), epsilon, not published)
