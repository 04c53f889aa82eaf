"""A rule for code outside the compiled loops: one step at a time, from the terms of each factor's gradient."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnsvm.training.lanes.arithmetic import classes, kept_on_disk
from attnsvm.training.lanes.singular import Decomposition, decomposition
from attnsvm.training.lanes.slopes import Slope, sloping
from attnsvm.training.rules import protocol


class Stepper:
    """Moves the factors of a model by a rule, LANES instances at once, and keeps the memory of the rule.

        stepper = Stepper(momentum(steepest("spectral", 0.1), 0.9))
        for _ in range(steps):
            stepper.step([A, B], [(left, right, logs), (left_B, right_B, logs_B)])

    The bits are those of the compiled loops: the same compiled functions, in the same order.
    """

    def __init__(self, rule: protocol.Rule):
        """`rule`: one of `attnsvm.training.rules`; its penalty is not added."""
        names = classes(rule)
        self.rule, self.done, self.pool = rule, 0, protocol.pooling.py_func()
        self.memories: list[Any] = []  # a `Memory` for each factor, from the first step on
        functions = protocol.memory_of, protocol.aim, protocol.pace, protocol.move, protocol.balance_pair
        self._remember, self._aim, self._pace, self._move, self._balance = (
            kept_on_disk(function.py_func, *names) for function in functions
        )

    def step(
        self,
        weights: Sequence[np.ndarray],
        terms: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
        pairs: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Move the `weights` in place.

        Args:
            weights: the factors, (d, e, LANES) each, in C order; the same ones at every step, each of any shape.
            terms: for each factor left (k, d, LANES), right (k, e, LANES) and logs (k, LANES), in C order: the gradient
                of the factor is Σ_k exp(logs_k) left_k right_kᵀ. k may change from step to step.
            pairs: the places of K and Q of each pair, for `balanced`.
        """
        slopes = [sloping.py_func(*arrays) for arrays in terms]  # as Python: nothing to compile in every process
        if not self.memories:
            self.memories = [self._remember(self.rule, slope, _room_for(slope)) for slope in slopes]
        protocol.empty.py_func(self.pool)
        for f, (factor, slope) in enumerate(zip(weights, slopes, strict=True)):
            memory = self.memories[f]
            if len(memory.room.order) != len(slope.left):
                self.memories[f] = memory = memory._replace(room=_room_for(slope))
            self._aim(self.rule, slope, factor, memory, self.pool, self.done)
        self._pace(self.rule, self.pool, self.done)
        for factor, memory in zip(weights, self.memories, strict=True):
            self._move(self.rule, factor, memory, self.pool, self.done)
        for k, q in pairs:
            self._balance(self.rule, weights[k], weights[q])
        self.done += 1


def _room_for(slope: Slope) -> Decomposition:
    """`lanes.slopes.room_for`, as Python too: what it calls has no door for Python."""
    return decomposition.py_func(len(slope.left), *slope.matrix.shape[:2])
