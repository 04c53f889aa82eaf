"""Factors of equal norm, after every step of any rule."""

from typing import NamedTuple

from attnsvm.batch.arithmetic import scaled
from attnsvm.batch.slopes import squares
from attnsvm.batch.vector import load, root, store, where
from attnsvm.training.optimisers.protocol import Rule, Wrapper


class Balanced(NamedTuple("Parts", [("inner", Rule)]), Wrapper):
    """See `balanced`."""

    parametrisations = ("KQ",)
    follows_rotations = False  # the norms count directions, too, in which nothing moves

    def balance(self, K, Q):
        of_K, of_Q = squares(K), squares(Q)
        factor = where(of_K * of_Q > 0.0, root(root(of_Q / of_K)), 1.0)
        scaled(K, factor, K)
        for a in range(len(Q)):
            for b in range(Q.shape[1]):
                store(Q[a, b], load(Q[a, b]) / factor)


def balanced(inner: Rule) -> Balanced:
    """The rule `inner`; after every step a factor that makes the Frobenius norms equal multiplies K and divides Q.

    Neither K Qᵀ nor the memory of the rule changes.

    Raises:
        ValueError: the rule does not move (K, Q).
    """
    if "KQ" not in inner.parametrisations:
        raise ValueError(f"balanced: expected a rule that moves (K, Q), got {inner}")
    return Balanced(inner)
