"""A learning rate that falls, around any rule."""

from typing import NamedTuple

import numpy as np

from attnsvm.batch.vector import each, larger, load, root, store
from attnsvm.training.optimisers.protocol import Rule, Wrapper, rate_at

ROOT, SHRINKING = 1, 2
SCHEDULES = {"root": ROOT, "shrinking": SHRINKING}


class Schedule(NamedTuple("Parts", [("inner", Rule), ("kind", int)]), Wrapper):
    """See `schedule`; one class for both kinds, which is compiled once."""

    @property
    def follows_rotations(self) -> bool:
        # The norm counts directions, too, in which nothing moves.
        return self.kind != SHRINKING and self.inner.follows_rotations

    def rate_at(self, step, squares, out):
        rate_at(self.inner, step, squares, out)
        by = each(np.sqrt(step + 1.0)) if self.kind == ROOT else larger(each(1.0), root(load(squares)))
        store(out, load(out) / by)


def schedule(inner: Rule, name: str) -> Schedule:
    """The rule `inner` with a learning rate that falls.

    Args:
        inner: the rule; η is its learning rate.
        name: "root", η/√(k + 1) at step k = 0, 1, ...; "shrinking", η/max(1, ‖W‖_F), with ‖(K, Q)‖_F for factors, and
            the norm of all weights for a stack.

    Raises:
        ValueError: the schedule does not exist.
    """
    if name not in SCHEDULES:
        raise ValueError(f"schedule: expected one of {', '.join(SCHEDULES)}, got {name!r}")
    return Schedule(inner, SCHEDULES[name])
