"""min ½ xᵀCx − bᵀx over x ≥ 0 for a C that grows: block principal pivoting (Júdice and Pires 1994).

One Cholesky factor of all of C is kept while unknowns come in, as rows of blocks that are never copied. An unknown at
zero is held there by a multiplier, so a pivot costs a few products instead of a factor.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

MET = 1e-11  # relative violation up to which a slope counts as zero
PIVOTS = 500
PATIENCE = 3  # block steps that may fail to improve
DIGITS = 1e-8  # relative residual of a system from which on its factor is not trusted
PROXIMAL = 20  # steps that take the ridge out again
HELD = 1 / 3  # share of unknowns at zero from which on they are left out


class Blocks:
    """The lower half of a matrix that grows: (below, corner) for each group of rows that came in."""

    def __init__(self):
        self.size, self._rows = 0, []

    def extend(self, below: np.ndarray, corner: np.ndarray) -> None:
        """Add rows: below (a, size), corner (a, a)."""
        self._rows.append((slice(self.size, self.size + len(corner)), below, corner))
        self.size += len(corner)

    def product(self, x: np.ndarray) -> np.ndarray:
        """C @ x for a symmetric C."""
        found = np.zeros(len(x))
        for some, below, corner in self._rows:
            found[some] += below @ x[: some.start] + corner @ x[some]
            found[: some.start] += x[some] @ below
        return found

    def forward(self, b: np.ndarray) -> np.ndarray:
        """L⁻¹ b for a triangle L; b: (size,) or (size, q)."""
        x = np.array(b)
        for some, below, corner in self._rows:
            x[some] -= below @ x[: some.start]
            x[some] = solve_triangular(corner, x[some], lower=True, check_finite=False)
        return x

    def backward(self, b: np.ndarray) -> np.ndarray:
        """L⁻ᵀ b for a triangle L."""
        x = np.array(b)
        for some, below, corner in reversed(self._rows):
            x[some] = solve_triangular(corner, x[some], lower=True, trans="T", check_finite=False)
            x[: some.start] -= x[some] @ below
        return x

    def whole(self) -> np.ndarray:
        """(size, size), zero above the blocks."""
        found = np.zeros((self.size, self.size))
        for some, below, corner in self._rows:
            found[some, : some.start], found[some, some] = below, corner
        return found


class Growing:
    """The problem on the unknowns so far; the ridge makes every step well defined, and `refine` takes it out.

    Attributes:
        rows: (k,) int, names of the unknowns. x: (k,) the solution, once `solve` was called.
    """

    def __init__(self, ridge: float):
        self.ridge = ridge
        self._clear()

    def _clear(self):
        self.rows, self.x, self.positive, self._b = np.zeros(0, int), np.zeros(0), np.zeros(0, bool), np.zeros(0)
        self._C, self._L = Blocks(), Blocks()
        # columns of L⁻¹, and which: of unknowns that were at zero
        self._held, self._columns, self._products = np.zeros(0, int), np.zeros((0, 0)), np.zeros((0, 0))

    def extend(self, rows: np.ndarray, cross: np.ndarray, inner: np.ndarray, b: np.ndarray) -> None:
        """More unknowns, positive at first.

        Args:
            rows: (a,) their names; b: (a,).
            cross: (a, k) and inner: (a, a), the new rows of C, whose diagonal is one.

        Raises:
            LinAlgError: C is not positive definite after rounding.
        """
        over = self._L.forward(cross.T).T
        corner = inner - over @ over.T
        corner[np.diag_indices(len(rows))] += self.ridge
        corner = cholesky(corner, lower=True, check_finite=False)
        below = solve_triangular(corner, -(over @ self._columns), lower=True, check_finite=False)
        self._L.extend(over, corner)
        self._C.extend(cross, inner)
        self._columns, self._products = np.vstack([self._columns, below]), self._products + below.T @ below
        self.rows, self._b = np.append(self.rows, rows), np.append(self._b, b)
        self.positive = np.append(self.positive, np.ones(len(rows), dtype=bool))

    def solve(self) -> None:
        """Set x to the solution with the ridge, or near it where pivoting does not end."""
        b, fewest, patience = self._b, len(self._b) + 1, PATIENCE
        while patience > 0:
            x = self._system(b)
            slope = self._C.product(x) + self.ridge * x - b
            if not np.abs(slope[self.positive]).max(initial=0.0) < DIGITS * b.max():
                break  # multipliers of unknowns that nearly repeat others have lost the digits
            wrong = np.flatnonzero(np.where(self.positive, x < 0, slope < -MET * b))
            if len(wrong) == 0:
                self.x = x
                return
            fewest, patience = (len(wrong), PATIENCE) if len(wrong) < fewest else (fewest, patience - 1)
            self.positive[wrong] ^= True
        self._solve_directly()

    def refine(self) -> None:
        """Take the ridge out of x: steps of the proximal method on the final support."""
        self.x = self._without_ridge(self.x, self._C.product, self._system)
        slope = self._C.product(self.x) - self._b
        if (np.where(self.positive, np.abs(slope), -slope) > MET * self._b).any():
            self._solve_directly()

    def _solve_directly(self):
        """Pivots with a factor for each, which keep their digits; the ridge is taken out too."""
        C, b, fewest, patience = self._C.whole(), self._b, len(self._b) + 1, PATIENCE
        C = np.tril(C) + np.tril(C, -1).T
        ridged, positive = C + self.ridge * np.eye(len(b)), self.positive
        for _ in range(PIVOTS):
            part = np.flatnonzero(positive)
            factor = cho_factor(ridged[np.ix_(part, part)], check_finite=False)

            def system(rest, part=part, factor=factor):
                x = np.zeros(len(rest))
                x[part] = cho_solve(factor, rest[part], check_finite=False)
                return x

            x = system(b)
            wrong = np.flatnonzero(np.where(positive, x < 0, ridged @ x - b < -MET * b))
            if len(wrong) == 0:
                self.x = self._without_ridge(x, C.__matmul__, system)
                return
            if len(wrong) < fewest:
                fewest, patience = len(wrong), PATIENCE
            elif patience > 0:
                patience -= 1
            else:
                wrong = wrong[-1:]  # one at a time, the last first, ends: Murty 1974
            positive[wrong] ^= True
        self.x = np.maximum(x, 0.0)

    def _without_ridge(self, x, product, system):
        best = np.inf
        for _ in range(PROXIMAL):
            rest = np.where(self.positive, self._b - product(x), 0.0)
            if not np.abs(rest).max(initial=0.0) < best / 2:
                break
            best = np.abs(rest).max()
            better = x + system(rest)
            if not (better >= 0).all():
                break
            x = better
        return x

    def shrink(self) -> None:
        """Leave out the unknowns at zero, where they are many."""
        kept = np.flatnonzero(self.positive)
        if len(kept) > (1 - HELD) * len(self.rows):
            return
        C, rows, b, x = self._C.whole()[np.ix_(kept, kept)], self.rows[kept], self._b[kept], self.x[kept]
        self._clear()
        self.extend(rows, np.zeros((len(kept), 0)), np.tril(C) + np.tril(C, -1).T, b)
        self.x = x

    def _system(self, b):
        """x with (C + ridge) x = b where it is positive, and zero elsewhere."""
        zero = np.flatnonzero(~self.positive)
        x = self._L.forward(np.where(self.positive, b, 0.0))
        if len(zero):
            held = self._held_at_zero(zero)
            weights = np.zeros(len(self._held))
            factor = cho_factor(self._products[np.ix_(held, held)], check_finite=False)
            weights[held] = cho_solve(factor, (x @ self._columns)[held], check_finite=False)
            x -= self._columns @ weights
        x = self._L.backward(x)
        x[zero] = 0.0
        return x

    def _held_at_zero(self, zero):
        """Which columns of L⁻¹ belong to these unknowns; those that nobody asked for yet are computed."""
        place = np.full(len(self.rows), -1)
        place[self._held] = np.arange(len(self._held))
        new = zero[place[zero] < 0]
        if len(new):
            more = np.zeros((len(self.rows), len(new)))
            more[new, np.arange(len(new))] = 1.0
            more = self._L.forward(more)
            across = self._columns.T @ more
            self._products = np.block([[self._products, across], [across.T, more.T @ more]])
            place[new] = len(self._held) + np.arange(len(new))
            self._columns, self._held = np.hstack([self._columns, more]), np.append(self._held, new)
        return place[zero]
