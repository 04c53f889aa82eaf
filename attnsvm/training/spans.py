"""(K, Q) in the coordinates in which descent moves them.

Without a penalty, the gradient of K has its columns in the span of the instance's tokens, and that of Q in the span of
its queries. Both have their rows in the span of the rows of PᵀK and RᵀQ, where P and R are orthonormal bases of those
two spans. Outside of these spans nothing moves. Descent on PᵀKV and RᵀQV, V an orthonormal basis of that row space, is
the same descent, step for step, on fewer numbers.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of a batch of S instances.

    Attributes:
        P: (S, d, p) orthonormal basis of the span of the tokens.
        R: (S, d, r) orthonormal basis of the span of the queries.
        V: (S, m, q) orthonormal basis of the rows that move.
        K, Q: (S, d, m) the initial factors.
    """

    P: np.ndarray
    R: np.ndarray
    V: np.ndarray
    K: np.ndarray
    Q: np.ndarray

    @classmethod
    def of(cls, tokens: np.ndarray, queries: np.ndarray, K: np.ndarray, Q: np.ndarray, move: bool) -> "Coordinates":
        """For tokens (S, N, T, d), queries (S, N, d); `move` False leaves everything as it is (identity bases)."""
        S, d, m = K.shape
        if not move:
            return cls(_identity(S, d), _identity(S, d), _identity(S, m), K, Q)
        P = _basis(tokens.reshape(S, -1, d))
        R = _basis(queries)
        V = _basis(np.concatenate([P.mT @ K, R.mT @ Q], axis=1))
        return cls(P, R, V, K, Q)

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """PᵀKV (S, p, q) and RᵀQV (S, r, q)."""
        return self.P.mT @ self.K @ self.V, self.R.mT @ self.Q @ self.V

    def product(self, factors: np.ndarray) -> np.ndarray:
        """K Qᵀ (S, L, d, d) from the coordinates (S, L, p + r, q) of both factors, that of K first."""
        start = self.factors()
        k, q = np.split(factors, [self.P.shape[2]], axis=2)
        P, R, V = (basis[:, None] for basis in (self.P, self.R, self.V))
        K = self.K[:, None] + P @ (k - start[0][:, None]) @ V.mT
        Q = self.Q[:, None] + R @ (q - start[1][:, None]) @ V.mT
        return K @ Q.mT


def _identity(S: int, size: int) -> np.ndarray:
    return np.broadcast_to(np.eye(size), (S, size, size))


def _basis(vectors: np.ndarray) -> np.ndarray:
    """An orthonormal basis (S, d, min(count, d)) of a space that holds the vectors (S, count, d)."""
    S, count, d = vectors.shape
    return _identity(S, d) if count >= d else np.linalg.qr(vectors.mT)[0]
