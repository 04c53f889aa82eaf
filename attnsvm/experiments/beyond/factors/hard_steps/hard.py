"""Hard steps on (K, Q): each step follows the constraint of smallest margin alone, as the gradient does far out.

A constraint c asks b_cᵀ K Qᵀ z_c ≥ 1. Its gradients are b_c (Qᵀz_c)ᵀ in K and z_c (Kᵀb_c)ᵀ in Q, both of rank one.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.data.problems import Problems


class Constraints(NamedTuple):
    """The differences b and the queries z in the constraints of each instance, (S, n(T − 1), d) each."""

    b: np.ndarray
    z: np.ndarray


def constraints(problems: Problems, selected: np.ndarray) -> Constraints:
    """Those of the selected tokens (S, n)."""
    S, n, T, d = problems.tokens.shape
    place = selected[..., None]
    own = np.take_along_axis(problems.tokens, place[..., None], 2)
    others = np.arange(T) != place
    b = (own - problems.tokens)[others].reshape(S, n * (T - 1), d)
    return Constraints(b, np.repeat(problems.queries, T - 1, axis=1))


class Factors(NamedTuple):
    """K and Q of each instance, (S, d, m) each."""

    K: np.ndarray
    Q: np.ndarray

    @property
    def W(self) -> np.ndarray:
        return self.K @ self.Q.mT


def hard_steps(
    given: Constraints, start: Factors, lengths: np.ndarray, relative: bool = False, together: bool = False
) -> Factors:
    """The factors after one step of each of the lengths.

    Args:
        lengths: of each step, the same for all instances.
        relative: the lengths are shares of ‖(K, Q)‖.
        together: one norm divides the gradients of both factors; otherwise each by its own.
    """
    b, z = given
    K, Q = start.K.copy(), start.Q.copy()
    k, q, bb, zz = b @ K, z @ Q, b @ b.mT, z @ z.mT
    long_b, long_z = np.linalg.norm(b, axis=-1), np.linalg.norm(z, axis=-1)
    every = np.arange(len(b))
    for length in lengths:
        c = np.einsum("scm,scm->sc", k, q).argmin(1)
        own_k, own_q = k[every, c], q[every, c]
        in_K = long_b[every, c] * np.linalg.norm(own_q, axis=-1)
        in_Q = long_z[every, c] * np.linalg.norm(own_k, axis=-1)
        if together:
            in_K = in_Q = np.hypot(in_K, in_Q)
        if relative:
            length = length * np.sqrt(np.square(K).sum((1, 2)) + np.square(Q).sum((1, 2)))
        to_K, to_Q = (length / in_K)[:, None, None], (length / in_Q)[:, None, None]
        K += b[every, c][..., None] * (to_K * own_q[:, None])
        Q += z[every, c][..., None] * (to_Q * own_k[:, None])
        k += bb[every, c][..., None] * (to_K * own_q[:, None])
        q += zz[every, c][..., None] * (to_Q * own_k[:, None])
    return Factors(K, Q)
