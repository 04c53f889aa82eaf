"""Factors of equal norm, after every step of any rule."""

from typing import NamedTuple

import numpy as np

from attnsvm.training.lanes.arithmetic import LANES
from attnsvm.training.lanes.slopes import sum_of_squares
from attnsvm.training.rules.protocol import Rule, Wrapper


class Balanced(NamedTuple("Parts", [("inner", Rule)]), Wrapper):
    """See `balanced`."""

    parametrisations = ("KQ",)
    follows_rotations = False  # the norms count directions, too, in which nothing moves

    def balance(self, K, Q):
        size, other = np.empty(LANES), np.empty(LANES)
        sum_of_squares(K, size)
        sum_of_squares(Q, other)
        for lane in range(LANES):
            size[lane] = np.sqrt(np.sqrt(other[lane] / size[lane])) if size[lane] * other[lane] > 0.0 else 1.0
        for a in range(len(K)):
            for b in range(K.shape[1]):
                for lane in range(LANES):
                    K[a, b, lane] *= size[lane]
        for a in range(len(Q)):
            for b in range(Q.shape[1]):
                for lane in range(LANES):
                    Q[a, b, lane] /= size[lane]


def balanced(inner: Rule) -> Balanced:
    """The rule `inner`; after every step a factor that makes the Frobenius norms equal multiplies K and divides Q.

    Neither K Qᵀ nor the memory of the rule changes.

    Raises:
        ValueError: the rule does not move (K, Q).
    """
    if "KQ" not in inner.parametrisations:
        raise ValueError(f"balanced: expected a rule that moves (K, Q), got {inner}")
    return Balanced(inner)
