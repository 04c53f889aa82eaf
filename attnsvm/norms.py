"""Matrix norms of the max-margin problems: value, dual norm, steepest direction, cvxpy expression."""

from abc import ABC, abstractmethod

import numpy as np


class Norm(ABC):
    """A norm on matrices, over the last two axes of an array.

    Attributes:
        name: what configurations, files and `get` call it.
        unitarily_invariant: whether ‖U W V‖ = ‖W‖ for orthogonal U and V.
    """

    name: str
    unitarily_invariant = False

    @abstractmethod
    def value(self, W: np.ndarray) -> np.ndarray:
        """‖W‖, (...) for W (..., d, e)."""

    @abstractmethod
    def dual(self, M: np.ndarray) -> np.ndarray:
        """The dual norm max {⟨M, W⟩ : ‖W‖ ≤ 1}, (...) for M (..., d, e)."""

    @abstractmethod
    def steepest(self, M: np.ndarray) -> np.ndarray:
        """A W (d, e) with ‖W‖ = 1 and ⟨M, W⟩ = dual(M), for one matrix M ≠ 0."""

    @abstractmethod
    def expression(self, W):
        """The norm of a cvxpy variable, as a cvxpy expression."""


class Frobenius(Norm):
    """The root of the sum of the squared entries."""

    name, unitarily_invariant = "fro", True

    def value(self, W):
        return np.linalg.norm(W, axis=(-2, -1))

    dual = value

    def steepest(self, M):
        return M / np.linalg.norm(M)

    def expression(self, W):
        import cvxpy

        return cvxpy.norm(W, "fro")


class Nuclear(Norm):
    """The sum of the singular values."""

    name, unitarily_invariant = "nuc", True

    def value(self, W):
        return np.linalg.svd(W, compute_uv=False).sum(-1)

    def dual(self, M):
        return np.linalg.svd(M, compute_uv=False)[..., 0]

    def steepest(self, M):
        U, _, Vt = np.linalg.svd(M)
        return np.outer(U[:, 0], Vt[0])

    def expression(self, W):
        import cvxpy

        return cvxpy.normNuc(W)


class Spectral(Norm):
    """The largest singular value."""

    name, unitarily_invariant = "spectral", True
    value, dual = Nuclear.dual, Nuclear.value

    def steepest(self, M):
        U, sigma, Vt = np.linalg.svd(M, full_matrices=False)
        kept = sigma > 1e-12 * sigma[0]
        return U[:, kept] @ Vt[kept]

    def expression(self, W):
        import cvxpy

        return cvxpy.sigma_max(W)


class EntrywiseL1(Norm):
    """The sum of the absolute entries."""

    name = "l1"

    def value(self, W):
        return np.abs(W).sum((-2, -1))

    def dual(self, M):
        return np.abs(M).max((-2, -1))

    def steepest(self, M):
        W = np.zeros_like(M)
        largest = np.unravel_index(np.abs(M).argmax(), M.shape)
        W[largest] = np.sign(M[largest])
        return W

    def expression(self, W):
        import cvxpy

        return cvxpy.sum(cvxpy.abs(W))


class EntrywiseMax(Norm):
    """The largest absolute entry."""

    name = "linf"
    value, dual = EntrywiseL1.dual, EntrywiseL1.value

    def steepest(self, M):
        return np.where(M >= 0, 1.0, -1.0)

    def expression(self, W):
        import cvxpy

        return cvxpy.max(cvxpy.abs(W))


class EntrywiseLp(Norm):
    """(Σ |W_ab|^p)^(1/p) with 1 < p < ∞; its dual has 1/p + 1/q = 1."""

    def __init__(self, p: float):
        self.p, self.q = p, p / (p - 1)
        self.name = f"l{p!r}"

    def value(self, W):
        return (np.abs(W) ** self.p).sum((-2, -1)) ** (1 / self.p)

    def dual(self, M):
        return (np.abs(M) ** self.q).sum((-2, -1)) ** (1 / self.q)

    def steepest(self, M):
        power = np.sign(M) * np.abs(M) ** (self.q - 1)
        return power / self.value(power)

    def expression(self, W):
        import cvxpy

        return cvxpy.pnorm(cvxpy.vec(W, order="C"), self.p)


SMALLEST_P, LARGEST_P = 1.01, 100.0  # nearer to l1 or linf, powers leave the range of floats
OWN_NORM = {"W": "fro", "KQ": "nuc"}  # descent on a parametrisation is drawn to the max-margin solution in this norm
NORMS = {norm.name: norm for norm in (Frobenius(), Nuclear(), Spectral(), EntrywiseL1(), EntrywiseMax())}


def get(name: str) -> Norm:
    """The norm called `name`: one of `NORMS`, or "l<p>" with a number p from 1.01 to 100, such as "l1.75"."""
    if name in NORMS:
        return NORMS[name]
    try:
        p = float(name[1:]) if name.startswith("l") else 0.0
    except (ValueError, AttributeError, TypeError):
        p = 0.0
    if not SMALLEST_P <= p <= LARGEST_P:
        raise ValueError(f"norm: expected one of {', '.join(NORMS)} or 'l<p>' with 1.01 <= p <= 100, got {name!r}")
    return EntrywiseLp(p)
