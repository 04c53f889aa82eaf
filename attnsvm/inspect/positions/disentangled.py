"""Vectors for distances, which keys and queries meet: x̃ᵀKᵀQ z̃ + (Q z̃)·k_b + (K x̃)·q_b for the bucket b of a distance.

That is linear in (e_b, 1) ⊗ x̃ and in z̃, since both have a constant 1: a max-margin problem with lifted tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Disentangled:
    """The B buckets of a head.

    Attributes:
        keys: (B, r), what queries meet; queries: (B, r), what keys meet. B is 0 in a model without such terms.
        bucket: the number of the bucket of every distance.
    """

    keys: np.ndarray
    queries: np.ndarray
    bucket: Callable[[np.ndarray], np.ndarray]

    def features(self, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(N, B + 1) for distances (N,); the lifted token is their product with x̃."""
        one = np.ones((len(distance), 1))
        return np.hstack([np.eye(len(self.keys))[self.bucket(distance)], one]) if len(self.keys) else one

    def logits(self, k: np.ndarray, q: np.ndarray, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(...,) for keys and queries (..., r) and distances (...,)."""
        found = (k * q).sum(-1)
        if len(self.keys):
            apart, which = np.unique(distance, return_inverse=True)
            bucket = self.bucket(apart)[which.reshape(distance.shape)]
            found = found + (q * self.keys[bucket]).sum(-1) + (k * self.queries[bucket]).sum(-1)
        return found

    def slope(self, q: np.ndarray, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(N, r) the derivative of the logits by the keys, for queries (N, r) and distances (N,)."""
        return q + self.queries[self.bucket(distance)] if len(self.keys) else q

    def reduced(self, K: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """A matrix (r + 2B, D) with the singular values of the lifted W of K and Q (r, D).

        The block of a bucket is e uᵀ + v eᵀ, e being the constant 1; its rows are those of the triangle of (e, v).
        """
        u, v, e = self.keys @ Q, self.queries @ K, np.eye(K.shape[1])[-1]
        along = v @ e
        across = np.sqrt(np.maximum((v * v).sum(1) - along**2, 0.0))
        return np.vstack([np.linalg.qr(K.T)[1] @ Q, u + np.outer(along, e), np.outer(across, e)])
