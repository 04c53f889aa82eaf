"""Verify an answer for lifted tokens from their features alone, in plain NumPy, sharing no code with the solver.

W is given by multipliers ν of tokens, W = Σ_it ν_it (place_t ⊗ content_t) z_iᵀ, and is not formed.
"""

import numpy as np

MARGIN = 1e-9  # relative violation of a constraint that rounding alone can cause
RESIDUAL = 1e-10  # of a refutation, relative to the longest constraint
RANK = 1e-6  # relative to the largest singular value: these come from a Gram matrix, which knows half of the digits
ROUNDING = 10 * np.finfo(float).eps  # of a product of the kernel, relative to the lengths of both tokens
AT_ONCE = 2**22  # numbers held at a time


class Checker:
    """The tokens and queries of a layer.

    Args:
        content: (N, d), places: (N, p), queries: (n, e).
        owner: (N,) int, the input of every token.
    """

    def __init__(self, content, places, queries, owner):
        kernel = np.empty((len(owner), len(owner)))
        for some in _slices(len(owner)):
            kernel[some] = (content[some] @ content.T) * (places[some] @ places.T)
        self._hold(content, places, queries, owner, kernel)

    def _hold(self, content, places, queries, owner, kernel):
        self.content, self.places, self.queries, self.owner, self.kernel = content, places, queries, owner, kernel
        self.first = np.searchsorted(owner, np.arange(len(queries)))
        self.asked = queries @ queries.T
        self.lengths = np.diag(kernel) * np.diag(self.asked)[owner]

    def weighted(self, scale) -> "Checker":
        """The same for tokens multiplied by scale (N,)."""
        made = object.__new__(Checker)
        kernel = self.kernel * scale * scale[:, None]
        made._hold(self.content, self.places * scale[:, None], self.queries, self.owner, kernel)
        return made

    def take(self, rows) -> "Checker":
        """The same for some of the tokens, and the queries that still have one."""
        made = object.__new__(Checker)
        left, owner = np.unique(self.owner[rows], return_inverse=True)
        kernel = self.kernel[np.ix_(rows, rows)]
        made._hold(self.content[rows], self.places[rows], self.queries[left], owner, kernel)
        return made

    def check(self, winner, loser, tol: float, claim) -> str:
        """Why the claim does not hold, or "" when it does.

        Args:
            winner, loser: (m,) rows of tokens: the logit of the first is to exceed that of the second by 1.
            tol: the relative duality gap allowed.
            claim: its status, nu (N,), dual (m,) and rank.
        """
        dual, N = claim.dual, len(self.owner)
        if claim.status not in ("solved", "infeasible"):
            return f"status {claim.status} claims nothing"
        if (self.owner[winner] != self.owner[loser]).any():
            return "a constraint compares tokens of two inputs"
        if not np.isfinite(dual).all() or (dual < 0).any():
            return "a multiplier is not finite, or negative on an inequality"
        combined = np.zeros(N)
        np.add.at(combined, winner, dual)
        np.subtract.at(combined, loser, dual)
        if claim.status == "infeasible":
            if not dual.sum() > 0:
                return "the Farkas certificate promises no positive bound"
            longest = np.sqrt(self._squares(winner, loser).max())
            if self._size(combined) > RESIDUAL * longest * dual.sum():
                return "the Farkas combination of the constraints is not zero"
            return ""
        if not np.isfinite(claim.nu).all():
            return "the solution is not finite"
        sums = self._sums(claim.nu)
        logits = self._logits(sums)
        square = float(claim.nu @ logits)
        if ROUNDING * (claim.nu**2 @ self.lengths) > tol * square:
            return "the multipliers of the solution are far larger than it is, and it has lost its digits"
        if (1 - (logits[winner] - logits[loser]) > MARGIN).any():
            return "a constraint is violated"
        if combined @ self._logits(self._sums(combined)) > (1 + MARGIN) ** 2:
            return "the multipliers are not dual feasible"
        if np.sqrt(square) - dual.sum() > tol * np.sqrt(square):
            return "the duality gap is too large"
        return "" if claim.rank == self._rank(claim.nu, sums) else "the rank is miscounted"

    def _sums(self, weights):
        """(N, n): for every token its products with the weighted sums of the tokens of every input."""
        found = np.empty((len(self.owner), len(self.queries)))
        for some in _slices(len(self.owner)):
            found[some] = np.add.reduceat(self.kernel[some] * weights, self.first, axis=1)
        return found

    def _logits(self, sums):
        return np.einsum("ti,ti->t", sums, self.asked[self.owner])

    def _squares(self, winner, loser):
        own, query = np.diag(self.kernel), np.diag(self.asked)[self.owner[winner]]
        return np.maximum(own[winner] + own[loser] - 2 * self.kernel[winner, loser], 0.0) * query

    def _size(self, weights):
        """‖Σ weights (place ⊗ content) zᵀ‖_F from the vectors: a Gram matrix would not see that it is zero."""
        used = np.flatnonzero(weights)
        inputs, number = np.unique(self.owner[used], return_inverse=True)
        left = np.zeros((len(inputs), self.places.shape[1] * self.content.shape[1]))
        for row, i in zip(used, number, strict=True):
            left[i] += weights[row] * np.outer(self.places[row], self.content[row]).ravel()
        right = np.linalg.qr(self.queries[inputs].T)[1]
        return np.linalg.norm(np.linalg.qr(left.T)[1] @ right.T)

    def _rank(self, weights, sums):
        value, vector = np.linalg.eigh(np.add.reduceat(weights[:, None] * sums, self.first))
        left = (vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T
        sigma = np.linalg.svd(left @ self.queries, compute_uv=False)
        return int((sigma > RANK * sigma[0]).sum())


def _slices(N):
    step = AT_ONCE // N + 1
    return [slice(start, start + step) for start in range(0, N, step)]
