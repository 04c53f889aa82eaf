"""Verify an answer for lifted tokens from their features alone, in plain NumPy, sharing no code with the solver.

W is given by multipliers ν of tokens, W = Σ_it ν_it (place_t ⊗ content_t) z_iᵀ, and is not formed.
"""

import numpy as np

MARGIN = 1e-9  # relative violation of a constraint that rounding alone can cause
RESIDUAL = 1e-10  # of a refutation, relative to the longest constraint
RANK = 1e-6  # relative to the largest singular value: these come from a Gram matrix, which knows half of the digits
ROUNDING = 10 * np.finfo(float).eps  # of a product of the kernel, relative to the lengths of both tokens
AT_ONCE = 2**22  # numbers held at a time
ROWS = 2**10  # of products with all tokens, made at a time
WHOLE = 2**14  # tokens up to which all products are made at once, which takes half the time


class Checker:
    """The tokens and queries of a layer.

    Args:
        content: (N, d), places: (N, p), queries: (n, e).
        owner: (N,) int, the input of every token.
    """

    def __init__(self, content, places, queries, owner):
        N = len(owner)
        kernel = np.empty((N, N))  # memory is taken by the pages that are written, from the first row on
        if N <= WHOLE:
            for some in _slices(N):
                upto = slice(some.stop)
                kernel[some, upto] = (content[some] @ content[upto].T) * (places[some] @ places[upto].T)
                kernel[: some.start, some] = kernel[some, : some.start].T
        self._hold(content, places, queries, owner, kernel, N <= WHOLE)

    def _hold(self, content, places, queries, owner, kernel, whole):
        self.content, self.places, self.queries, self.owner = content, places, queries, owner
        self.kernel, self.whole, N = kernel, whole, len(owner)
        self.made = N if whole else 0  # rows of the kernel
        self._row = np.arange(N) if whole else np.full(N, -1)  # of the kernel, for every token
        self.first = np.searchsorted(owner, np.arange(len(queries)))
        self.asked = queries @ queries.T
        self.triangle = np.linalg.qr(queries.T)[1]
        self.squares = np.einsum("td,td->t", content, content) * np.einsum("tp,tp->t", places, places)
        self.lengths = self.squares * np.diag(self.asked)[owner]

    def weighted(self, scale) -> "Checker":
        """The same for tokens multiplied by scale (N,)."""
        places = self.places * scale[:, None]
        if not self.whole:
            return Checker(self.content, places, self.queries, self.owner)
        made = object.__new__(Checker)
        kernel = self.kernel * scale
        kernel *= scale[:, None]
        made._hold(self.content, places, self.queries, self.owner, kernel, True)
        return made

    def take(self, rows) -> "Checker":
        """The same for some of the tokens, and the queries that still have one."""
        left, owner = np.unique(self.owner[rows], return_inverse=True)
        features = self.content[rows], self.places[rows], self.queries[left], owner
        if not self.whole:
            return Checker(*features)
        made = object.__new__(Checker)
        made._hold(*features, self.kernel[np.ix_(rows, rows)], True)
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
        """(n, N): products of the weighted sum of the tokens of every input with every token."""
        found, used = np.zeros((len(self.queries), len(self.owner))), np.flatnonzero(weights)
        new = used[self._row[used] < 0]
        for rows in np.array_split(new, len(new) // ROWS + 1):
            place = slice(self.made, self.made + len(rows))
            self.kernel[place] = self.content[rows] @ self.content.T
            self.kernel[place] *= self.places[rows] @ self.places.T
            self._row[rows], self.made = np.arange(place.start, place.stop), place.stop
        for mine in np.split(used, np.searchsorted(self.owner[used], np.arange(1, len(self.queries)))):
            if len(mine):
                found[self.owner[mine[0]]] = weights[mine] @ self.kernel[self._row[mine]]
        return found

    def _logits(self, sums):
        return np.einsum("it,it->t", sums, self.asked[:, self.owner])

    def _squares(self, winner, loser):
        both = np.empty(len(winner))
        for some in _slices(self.content.shape[1], len(winner)):
            a, b = winner[some], loser[some]
            both[some] = np.einsum("td,td->t", self.content[a], self.content[b])
            both[some] *= np.einsum("tp,tp->t", self.places[a], self.places[b])
        apart = np.maximum(self.squares[winner] + self.squares[loser] - 2 * both, 0.0)
        return apart * np.diag(self.asked)[self.owner[winner]]

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
        value, vector = np.linalg.eigh(np.add.reduceat(weights * sums, self.first, axis=1))
        left = (vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T
        sigma = np.linalg.svd(left @ self.triangle.T, compute_uv=False)
        return int((sigma > RANK * sigma[0]).sum())


def _slices(width, count=None):
    """Of `count` rows (None: as many as they are wide) of that width."""
    step, count = AT_ONCE // width + 1, width if count is None else count
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
