"""One Frobenius norm for the gradients of all factors."""

from typing import Any, NamedTuple

import numpy as np

from attnsvm.training.lanes.arithmetic import LANES, copy, exp
from attnsvm.training.lanes.slopes import flatten, sum_of_squares
from attnsvm.training.rules.protocol import Rule, Wrapper


class Joint(NamedTuple("Parts", [("inner", Any)]), Wrapper):
    """See `joint`. The gradients of different layers differ much in size: each is kept in a separate unit."""

    divides = False  # the norm of one factor no longer divides the step

    def direct(self, slope, memory, step):
        flatten(slope)
        copy(slope.matrix, memory.direction)
        copy(slope.common, memory.unit)

    def collect(self, memory, pool):
        size, unit, squares = memory.rows[0], pool.unit, pool.squares
        sum_of_squares(memory.direction, size)
        for lane in range(LANES):
            new = max(unit[lane], memory.unit[lane])
            before, here = exp(unit[lane] - new), exp(memory.unit[lane] - new)
            squares[lane] = squares[lane] * before * before + size[lane] * here * here
            unit[lane] = new

    def settle(self, memory, pool):
        size, direction = memory.rows[0], memory.direction
        for lane in range(LANES):
            factor = 1.0 if self.inner.rescaled else exp(pool.unit[lane])
            whole = np.sqrt(pool.squares[lane]) * factor + self.inner.epsilon
            size[lane] = exp(memory.unit[lane] - pool.unit[lane]) * factor / whole
        for a in range(direction.shape[0]):
            for b in range(direction.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] *= size[lane]


def joint(inner: Any) -> Rule:
    """The rule `inner`, divided by the Frobenius norm of the gradients of all factors together, not of each factor.

    Args:
        inner: steepest descent in the Frobenius norm, or the published rule, wrapped or not.

    Raises:
        ValueError: the rule does not divide by a Frobenius norm.
    """
    if not inner.divides:
        raise ValueError(f"joint: expected a rule that divides by a Frobenius norm, as 'fro' does, got {inner}")
    return inner._replace(inner=joint(inner.inner)) if "inner" in inner._fields else Joint(inner)
