"""The heavy ball, around any rule."""

from typing import NamedTuple

from numba import njit

from attnsvm.batch.arithmetic import INNER
from attnsvm.batch.slopes import Memory
from attnsvm.batch.vector import load, store
from attnsvm.training.optimisers.protocol import Rule, Wrapper, apply, collect, direct, settle


@njit(**INNER, inline="always")
def inside(memory):
    """The memory as the inner rule sees it: without the velocity."""
    return Memory(memory.direction, memory.unit, memory.rows, memory.room, memory.kept[1:], memory.kept_rows)


class Momentum(NamedTuple("Parts", [("inner", Rule), ("weight", float)]), Wrapper):
    """See `momentum`."""

    @property
    def matrices(self) -> int:
        return 1 + self.inner.matrices

    def direct(self, slope, memory, step):
        direct(self.inner, slope, inside(memory), step)

    def collect(self, memory, pool):
        collect(self.inner, inside(memory), pool)

    def settle(self, memory, pool):
        settle(self.inner, inside(memory), pool)
        direction, velocity, weight = memory.direction, memory.kept[0], self.weight
        for a in range(direction.shape[0]):
            for b in range(direction.shape[1]):
                v = weight * load(velocity[a, b]) + load(direction[a, b])
                store(velocity[a, b], v)
                store(direction[a, b], v)

    def apply(self, weights, memory, rate, step):
        apply(self.inner, weights, inside(memory), rate, step)


def momentum(inner: Rule, weight: float) -> Momentum:
    """The rule `inner` as a heavy ball: the sum of its directions, with weights 1, weight, weight², ... into the past.

    Raises:
        ValueError: the weight is not from 0 on and below 1.
    """
    if not 0 <= weight < 1:
        raise ValueError(f"momentum: expected a number from 0 on and below 1, got {weight!r}")
    return Momentum(inner, float(weight))
