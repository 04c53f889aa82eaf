"""A rule for code outside the compiled loops: one step at a time, from the terms of each factor's gradient."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnsvm.batch.arithmetic import call, kept_on_disk
from attnsvm.batch.singular import NOTHING
from attnsvm.batch.slopes import memory_of, room_for, sloping
from attnsvm.training.optimisers import calls
from attnsvm.training.optimisers.protocol import Rule


class Stepper:
    """Moves the factors of a model by a rule, LANES instances at once, and keeps the memory of the rule.

        stepper = Stepper(schedule(steepest("spectral", 0.1), "root"))
        for _ in range(steps):
            stepper.step([A, B], [(left, right, logs), (left_B, right_B, logs_B)])

    The bits are those of the compiled loops: the same compiled functions, in the same order.
    """

    def __init__(self, rule: Rule):
        """`rule`: one of `attnsvm.training.optimisers`; its penalty is not added, and `balanced` knows no pair here."""
        self.rule, self.done, self.pool = calls.mover(rule), 0, calls.pooling()
        self.memories: list[Any] = []  # a `Memory` for each factor, from the first step on
        self._calls = tuple(map(kept_on_disk, (_aim, _pace, _move)))

    def step(self, weights: Sequence[np.ndarray], terms: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
        """Move the `weights` in place.

        Args:
            weights: the factors, (d, e, LANES) each, in C order; the same ones at every step, each of any shape.
            terms: for each factor left (k, d, LANES), right (k, e, LANES) and logs (k, LANES), in C order: the gradient
                of the factor is Σ_k exp(logs_k) left_k right_kᵀ. k may change from step to step.
        """
        slopes = [sloping(*(np.ascontiguousarray(array, dtype=float) for array in arrays)) for arrays in terms]
        aim, pace, move = map(_entry, self._calls) if self.done else self._calls
        if not self.memories:
            self.memories = [memory_of(slope, self.rule.matrices, self.rule.rows) for slope in slopes]
        self.pool.unit[:], self.pool.squares[:], self.pool.weights[:] = NOTHING, 0.0, 0.0
        for f, (factor, slope) in enumerate(zip(weights, slopes, strict=True)):
            memory = self.memories[f]
            if len(memory.room.order) != len(slope.left):
                self.memories[f] = memory = memory._replace(room=room_for(slope))
            aim(self.rule, slope, factor, memory, self.pool, self.done)
        pace(self.rule, self.pool, self.done)
        for factor, memory in zip(weights, self.memories, strict=True):
            move(self.rule, factor, memory, self.pool, self.done)
        self.done += 1


def _entry(dispatcher: Any) -> Any:
    """What a dispatcher calls, once it has been called: it looks at the types of all arguments for 0.1 ms each time."""
    return next((compiled.entry_point for compiled in dispatcher.overloads.values()), dispatcher)


def _aim(rule, slope, weights, memory, pool, step):
    call(rule.aim, rule.numbers, slope, weights, memory, pool, step)


def _pace(rule, pool, step):
    call(rule.pace, rule.numbers, pool, step)


def _move(rule, weights, memory, pool, step):
    call(rule.move, rule.numbers, weights, memory, pool, step)
