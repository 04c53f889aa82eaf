"""A max-margin problem in coordinates: rows of W in the span of the left vectors, columns in that of the right ones.

Projecting W onto the two spans changes no constraint and increases no unitarily invariant norm: a solution lives there.
"""

from functools import cached_property

import numpy as np
from scipy.linalg import qr

from attnsvm.svm.constraints import Constraints, Factors

INDEPENDENT = 1e-12  # relative size below which an equality of unit norm follows from the others


class Reduced:
    """The constraints in coordinates: W = P Y Qᵀ with Y (p, q). P or Q is None where it would be the identity."""

    def __init__(self, constraints: Constraints):
        self.constraints = constraints

    @cached_property
    def P(self) -> np.ndarray | None:
        """(d, p), formed when first read, as all else here."""
        c = self.constraints
        return basis(c.left) if len(c) < c.shape[0] else None

    @cached_property
    def Q(self) -> np.ndarray | None:
        """(e, q)."""
        c = self.constraints
        inputs = c.index[:, 0]
        queries, query = c.factors.queries, c.factors.query
        other = (inputs[1:] != inputs[:-1]) | (query[1:] != query[:-1])
        used = query[np.append(True, other)[: len(inputs)]]  # of one row of each input, and of each that has another
        return basis(queries[used]) if len(used) < c.shape[1] else None

    @cached_property
    def left(self) -> np.ndarray:
        """(m, p)."""
        return _in(self.P, self.constraints.left)

    @cached_property
    def right(self) -> np.ndarray:
        """(m, q)."""
        return _in(self.Q, self.constraints.right)

    @property
    def factors(self) -> Factors:
        """The constraints on Y, not formed."""
        factors = self.constraints.factors
        return factors._replace(tokens=_in(self.P, factors.tokens), queries=_in(self.Q, factors.queries))

    @property
    def shape(self) -> tuple[int, int]:
        """(p, q) of Y."""
        d, e = self.constraints.shape
        return d if self.P is None else self.P.shape[1], e if self.Q is None else self.Q.shape[1]

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows that say something: inequalities on nonzero matrices, and independent equalities."""
        c = self.constraints
        nonzero = self.left.any(1) & self.right.any(1)
        numbers = np.flatnonzero(c.equality & nonzero)
        if len(numbers) > 0:
            rows = outer(_near_one(self.left[numbers]), _near_one(self.right[numbers]))
            _, R, order = qr((rows / lengths(rows)[:, None]).T, mode="economic", pivoting=True)
            numbers = numbers[order[: int((np.abs(np.diag(R)) > INDEPENDENT).sum())]]
        return np.sort(np.concatenate([np.flatnonzero(~c.equality & nonzero), numbers]))

    def lift(self, Y: np.ndarray) -> np.ndarray:
        rows = Y if self.P is None else self.P @ Y
        return rows if self.Q is None else rows @ self.Q.T

    def lower(self, W: np.ndarray) -> np.ndarray:
        return _in(self.Q, W if self.P is None else self.P.T @ W)

    def spread(self, dual: np.ndarray) -> np.ndarray:
        """Multipliers of all rows from those of the kept ones."""
        return np.bincount(self.kept, dual, minlength=len(self.constraints))


def outer(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The matrices left_k right_kᵀ as rows (m, p·q)."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), left.shape[1] * right.shape[1])


def _near_one(vectors: np.ndarray) -> np.ndarray:
    """The vectors times powers of two, which round nothing, so that products of their numbers do not vanish."""
    return np.ldexp(vectors, -np.frexp(np.abs(vectors).max(1, keepdims=True))[1])


def lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors * vectors).sum(-1))


def basis(vectors: np.ndarray) -> np.ndarray:
    """Orthonormal columns (d, at most count) whose span holds the vectors (count, d)."""
    return np.linalg.qr(vectors.T)[0]


def _in(basis: np.ndarray | None, vectors: np.ndarray) -> np.ndarray:
    """The coordinates of the vectors in the basis."""
    return vectors if basis is None else vectors @ basis
