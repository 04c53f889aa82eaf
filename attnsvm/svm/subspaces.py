"""A max-margin problem in coordinates: rows of W in the span of the left vectors, columns in that of the right ones.

Projecting W onto the two spans changes no constraint and increases no unitarily invariant norm: a solution lives there.
"""

from functools import cached_property

import numpy as np
from scipy.linalg import qr

from attnsvm.svm.constraints import Constraints

INDEPENDENT = 1e-12  # relative size below which an equality of unit norm follows from the others


class Reduced:
    """The constraints in coordinates: left (m, p) and right (m, q), W = P Y Qᵀ with Y (p, q)."""

    def __init__(self, constraints: Constraints):
        self.constraints = constraints
        inputs = constraints.index[:, 0]
        first = np.append(True, inputs[1:] != inputs[:-1])[: len(inputs)]  # one row of each input: its query
        self.P, self.left = _coordinates(constraints.left, constraints.left)
        self.Q, self.right = _coordinates(constraints.right, constraints.right[first])

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows that say something: inequalities on nonzero matrices, and independent equalities."""
        c = self.constraints
        nonzero = self.left.any(1) & self.right.any(1)
        numbers = np.flatnonzero(c.equality & nonzero)
        if len(numbers) > 0:
            rows = outer(self.left[numbers], self.right[numbers])
            _, R, order = qr((rows / lengths(rows)[:, None]).T, mode="economic", pivoting=True)
            numbers = numbers[order[: int((np.abs(np.diag(R)) > INDEPENDENT).sum())]]
        return np.sort(np.concatenate([np.flatnonzero(~c.equality & nonzero), numbers]))

    @property
    def shape_key(self) -> tuple:
        """Equal for problems that an interior-point batch can hold together."""
        return self.left.shape[1], self.right.shape[1], self.constraints.equality[self.kept].tobytes()

    def lift(self, Y: np.ndarray) -> np.ndarray:
        return self.P @ Y @ self.Q.T

    def lower(self, W: np.ndarray) -> np.ndarray:
        return self.P.T @ W @ self.Q

    def spread(self, dual: np.ndarray) -> np.ndarray:
        """Multipliers of all rows from those of the kept ones."""
        return np.bincount(self.kept, dual, minlength=len(self.constraints))


def outer(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The matrices left_k right_kᵀ as rows (m, p·q)."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), left.shape[1] * right.shape[1])


def lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors * vectors).sum(-1))


def _coordinates(vectors, spanning):
    """An orthonormal basis (d, size) of a space that holds the vectors, and their coordinates (m, size) in it."""
    count, d = spanning.shape
    if count >= d:
        return np.eye(d), vectors
    basis = np.linalg.qr(spanning.T)[0]
    return basis, vectors @ basis
