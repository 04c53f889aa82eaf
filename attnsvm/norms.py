"""Matrix norms of the max-margin problems: value and dual norm."""

from abc import ABC, abstractmethod

import numpy as np


class Norm(ABC):
    name: str

    @abstractmethod
    def value(self, W: np.ndarray) -> np.ndarray:
        """The norm of W (..., d, e), over the last two axes."""

    @abstractmethod
    def dual(self, M: np.ndarray) -> np.ndarray:
        """The dual norm max {⟨M, W⟩ : ‖W‖ ≤ 1} of M (..., d, e)."""


class Frobenius(Norm):
    name = "fro"

    def value(self, W):
        return np.linalg.norm(W, axis=(-2, -1))

    dual = value


class Nuclear(Norm):
    """Sum of the singular values; its dual is the largest one."""

    name = "nuc"

    def value(self, W):
        return np.linalg.svd(W, compute_uv=False).sum(-1)

    def dual(self, M):
        return np.linalg.svd(M, compute_uv=False)[..., 0]


NORMS = {norm.name: norm for norm in (Frobenius(), Nuclear())}
