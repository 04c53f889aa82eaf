"""Adam without an epsilon, with decoupled weight decay."""

from typing import NamedTuple

import numpy as np

from attnsvm.batch.arithmetic import exp, log
from attnsvm.batch.slopes import flatten
from attnsvm.batch.vector import each, larger, load, root, store, where
from attnsvm.training.optimisers.protocol import Alone


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
        beta1, beta2 = self.beta1, self.beta2
        slowest = 0.5 * log(beta2)
        common = load(slope.common)
        now = common if step == 0 else larger(common, load(unit) + slowest)
        fade = each(0.0) if step == 0 else exp(load(unit) - now)
        share, one, two = exp(common - now), beta1 * fade, beta2 * fade * fade
        store(unit, now)
        grown1 = 1.0 - beta1 ** (step + 1.0)
        grown2 = 1.0 - beta2 ** (step + 1.0)
        weight = np.sqrt(grown2) / grown1
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                g = load(matrix[a, b]) * share
                m = (1.0 - beta1) * g + one * load(first[a, b])
                v = (1.0 - beta2) * g * g + two * load(second[a, b])
                store(first[a, b], m)
                store(second[a, b], v)
                store(direction[a, b], where(v > 0.0, weight * m / root(v), 0.0))

    def apply(self, weights, memory, rate, step):
        direction, decay = memory.direction, self.decay
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                w = load(weights[a, b])
                store(weights[a, b], w - load(rate) * (load(direction[a, b]) + decay * w))


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
