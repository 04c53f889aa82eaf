"""Adam without an epsilon, with decoupled weight decay."""

from typing import NamedTuple

import numpy as np

from attnsvm.training.lanes.arithmetic import LANES, exp, log
from attnsvm.training.lanes.slopes import flatten
from attnsvm.training.rules.protocol import Alone


class Numbers(NamedTuple):
    """See `adam`."""

    learning_rate: float
    beta1: float
    beta2: float
    decay: float


class Adam(Numbers, Alone):
    """Adam without an epsilon, with decoupled weight decay.

    The moments are kept in the unit exp(u) and its square, with one u per instance and step: the factor of the present
    gradient or, where the second moment of the past is larger, the factor of that moment. So neither moment overflows,
    and numbers that underflow are negligible. The rule needs beta1² < beta2: otherwise the first moment outgrows the
    root of the second as the gradient vanishes, and the step grows with it.
    """

    matrices, rows = 2, 1  # the moments; u

    def direct(self, slope, memory, step):
        flatten(slope)
        matrix, direction = slope.matrix, memory.direction
        first, second, unit = memory.kept[0], memory.kept[1], memory.kept_rows[0]
        share, one, two = memory.rows[0], memory.rows[1], memory.rows[2]
        beta1, beta2 = self.beta1, self.beta2
        slowest = 0.5 * log(beta2)
        for lane in range(LANES):
            now = slope.common[lane] if step == 0 else max(slope.common[lane], unit[lane] + slowest)
            fade = 0.0 if step == 0 else exp(unit[lane] - now)
            share[lane] = exp(slope.common[lane] - now)
            one[lane] = beta1 * fade
            two[lane] = beta2 * fade * fade
            unit[lane] = now
        grown1 = 1.0 - beta1 ** (step + 1.0)
        grown2 = 1.0 - beta2 ** (step + 1.0)
        weight = np.sqrt(grown2) / grown1
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    g = matrix[a, b, lane] * share[lane]
                    m = one[lane] * first[a, b, lane] + (1.0 - beta1) * g
                    v = two[lane] * second[a, b, lane] + (1.0 - beta2) * g * g
                    first[a, b, lane] = m
                    second[a, b, lane] = v
                    direction[a, b, lane] = weight * m / np.sqrt(v) if v > 0.0 else 0.0

    def apply(self, weights, memory, rate, step):
        direction, decay = memory.direction, self.decay
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                for lane in range(LANES):
                    weights[a, b, lane] -= rate[lane] * (direction[a, b, lane] + decay * weights[a, b, lane])


def adam(learning_rate: float, beta1: float, beta2: float, decay: float = 0.0) -> Adam:
    """Adam (arXiv 1412.6980) with decoupled weight decay (1711.05101), without ε, exact at any ‖W‖; see `Adam`.

    Args:
        decay: W ← W − η_k (step + decay·W).

    Raises:
        ValueError: not 0 ≤ beta1, beta1² < beta2 < 1.
    """
    if not (beta1 >= 0 and beta1**2 < beta2 < 1):
        raise ValueError(f"beta1, beta2: expected 0 <= beta1 and beta1² < beta2 < 1, got {beta1!r} and {beta2!r}")
    return Adam(float(learning_rate), float(beta1), float(beta2), float(decay))
