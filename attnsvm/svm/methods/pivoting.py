"""min ½ xᵀCx − bᵀx over x ≥ 0 for a C that grows: block principal pivoting (Júdice and Pires 1994).

One Cholesky factor of all of C is kept while unknowns come in. An unknown at zero is held there by a multiplier, so a
pivot costs a few products instead of a factor.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

MET = 1e-11  # relative violation up to which a slope counts as zero
PIVOTS = 500
PATIENCE = 3  # block steps that may fail to improve before steps of one unknown follow
PROXIMAL = 20  # steps that take the ridge out again
HELD = 1 / 3  # share of unknowns at zero from which on they are left out


class Growing:
    """The problem on the unknowns so far; the ridge makes every step well defined and is taken out at the end.

    Attributes:
        rows: (k,) int, names of the unknowns. x: (k,) the solution, once `solve` was called.
    """

    def __init__(self, ridge: float):
        self.ridge = ridge
        self.rows, self.x, self.positive = np.zeros(0, dtype=int), np.zeros(0), np.zeros(0, dtype=bool)
        self._C, self._b, self._L = np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0))
        self._forget()

    def extend(self, rows: np.ndarray, cross: np.ndarray, inner: np.ndarray, b: np.ndarray) -> None:
        """More unknowns, positive at first.

        Args:
            rows: (a,) their names; b: (a,).
            cross: (k, a) and inner: (a, a), the new blocks of C, whose diagonal is one.

        Raises:
            LinAlgError: C is not positive definite after rounding.
        """
        old, new = len(self.rows), len(rows)
        over = _lower(self._L, cross)
        corner = cholesky(inner + self.ridge * np.eye(new) - over.T @ over, lower=True, check_finite=False)
        below = _lower(corner, -(over.T @ self._columns))
        self._L = np.block([[self._L, np.zeros((old, new))], [over.T, corner]])
        self._C = np.block([[self._C, cross], [cross.T, inner]])
        self._columns, self._products = np.vstack([self._columns, below]), self._products + below.T @ below
        self.rows, self._b = np.append(self.rows, rows), np.append(self._b, b)
        self.positive = np.append(self.positive, np.ones(new, dtype=bool))

    def solve(self) -> None:
        """Set x to the solution, or near it where pivoting does not end."""
        C, b, fewest, patience = self._C, self._b, len(self._b) + 1, PATIENCE
        for _ in range(PIVOTS):
            x = self._system(b)
            wrong = np.flatnonzero(np.where(self.positive, x < 0, C @ x + self.ridge * x - b < -MET * b))
            if len(wrong) == 0:
                self.x = self._without_ridge(x)
                return
            if len(wrong) < fewest:
                fewest, patience = len(wrong), PATIENCE
            elif patience > 0:
                patience -= 1
            else:
                wrong = wrong[-1:]  # one at a time, the last first, ends: Murty 1974
            self.positive[wrong] ^= True
        self.x = np.maximum(x, 0.0)

    def shrink(self) -> None:
        """Leave out the unknowns at zero, where they are many."""
        kept = np.flatnonzero(self.positive)
        if len(kept) > (1 - HELD) * len(self.rows):
            return
        self.rows, self.x, self.positive = self.rows[kept], self.x[kept], self.positive[kept]
        self._C, self._b = self._C[np.ix_(kept, kept)], self._b[kept]
        self._L = cholesky(self._C + self.ridge * np.eye(len(kept)), lower=True, check_finite=False)
        self._forget()

    def _system(self, b):
        """x with (C + ridge) x = b where it is positive, and zero elsewhere."""
        zero = np.flatnonzero(~self.positive)
        x = _lower(self._L, np.where(self.positive, b, 0.0))
        if len(zero):
            held = self._held_at_zero(zero)
            columns = self._columns[:, held]
            factor = cho_factor(self._products[np.ix_(held, held)], check_finite=False)
            x -= columns @ cho_solve(factor, columns.T @ x, check_finite=False)
        x = solve_triangular(self._L, x, lower=True, trans="T", check_finite=False)
        x[zero] = 0.0
        return x

    def _held_at_zero(self, zero):
        """Which columns of L⁻¹ belong to these unknowns; those that nobody asked for yet are computed."""
        place = np.full(len(self._L), -1)
        place[self._held] = np.arange(len(self._held))
        new = zero[place[zero] < 0]
        if len(new):
            more = _lower(self._L, np.eye(len(self._L))[:, new])
            across = self._columns.T @ more
            self._products = np.block([[self._products, across], [across.T, more.T @ more]])
            place[new] = len(self._held) + np.arange(len(new))
            self._columns, self._held = np.hstack([self._columns, more]), np.append(self._held, new)
        return place[zero]

    def _forget(self):
        """No unknown has a column of L⁻¹."""
        self._held = np.zeros(0, dtype=int)
        self._columns, self._products = np.zeros((len(self._L), 0)), np.zeros((0, 0))

    def _without_ridge(self, x):
        """Steps of the proximal method on the final support."""
        best = np.inf
        for _ in range(PROXIMAL):
            rest = np.where(self.positive, self._b - self._C @ x, 0.0)
            if not np.abs(rest).max(initial=0.0) < best / 2:
                break
            best = np.abs(rest).max()
            better = x + self._system(rest)
            if not (better >= 0).all():
                break
            x = better
        return x


def _lower(L, b):
    return solve_triangular(L, b, lower=True, check_finite=False) if len(L) else b
