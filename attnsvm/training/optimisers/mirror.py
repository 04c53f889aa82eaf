"""ℓp mirror descent on W, normalised."""

from typing import NamedTuple

import numpy as np

from attnsvm.batch.arithmetic import exp, power, scaled, signed_power
from attnsvm.batch.slopes import SMALLEST, flatten, largest
from attnsvm.batch.vector import each, load, store
from attnsvm.training.optimisers.gradient_descent import EPSILON
from attnsvm.training.optimisers.protocol import Alone


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
        matrix, q = slope.matrix, self.p / (self.p - 1.0)
        top, total = largest(matrix), each(0.0)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                total = total + power(abs(load(matrix[a, b])) / top, q)
        factor = each(1.0) if self.rescaled else exp(load(slope.common))
        scaled(matrix, factor / (power(total, 1.0 / q) * top * factor + self.epsilon), memory.direction)

    def apply(self, weights, memory, rate, step):
        direction, dual = memory.direction, memory.kept[0]
        forth, back = self.p - 1.0, 1.0 / (self.p - 1.0)
        if step == 0:  # V, of the weights before the first step
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    store(dual[a, b], signed_power(load(weights[a, b]), forth))
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                v = load(dual[a, b]) - load(rate) * load(direction[a, b])
                store(dual[a, b], v)
                store(weights[a, b], signed_power(v, back))


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
