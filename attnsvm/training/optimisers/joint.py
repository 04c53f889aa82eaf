"""One Frobenius norm for the gradients of all factors."""

from typing import Any, NamedTuple

from attnsvm.batch.arithmetic import copy, exp, scaled
from attnsvm.batch.slopes import flatten, squares
from attnsvm.batch.vector import each, larger, load, root, store
from attnsvm.training.optimisers.protocol import Rule, Wrapper


class Joint(NamedTuple("Parts", [("inner", Any)]), Wrapper):
    """See `joint`. The gradients of different layers differ much in size: each is kept in a separate unit."""

    divides = False  # the norm of one factor no longer divides the step

    def direct(self, slope, memory, step):
        flatten(slope)
        copy(slope.matrix, memory.direction)
        copy(slope.common, memory.unit)

    def collect(self, memory, pool):
        unit, other = load(pool.unit), load(memory.unit)
        new = larger(unit, other)
        before, here = exp(unit - new), exp(other - new)
        store(pool.squares, load(pool.squares) * before * before + squares(memory.direction) * here * here)
        store(pool.unit, new)

    def settle(self, memory, pool):
        unit = load(pool.unit)
        factor = each(1.0) if self.inner.rescaled else exp(unit)
        whole = root(load(pool.squares)) * factor + self.inner.epsilon
        scaled(memory.direction, exp(load(memory.unit) - unit) * factor / whole, memory.direction)


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
