"""Verify a certificate from the constraints alone, in plain NumPy, sharing no code with the solvers.

The matrices A_k = (tokens[winner_k] − tokens[loser_k]) queries[query_k]ᵀ are never formed: the cost is one pass over
the tokens, n·d·e for W on the queries, and d·e for every multiplier that is not zero.
"""

from functools import cached_property

import numpy as np

MARGIN = 1e-9  # relative violation of a constraint that rounding alone can cause
TINY = 1e-3  # share of the largest bound up to which a bound counts as zero where violations are measured
RESIDUAL = 1e-10  # of a Farkas certificate
LOOSEST = 1e-7  # relative gap of a file that is taken for a proof: in the Frobenius norm an angle of 5e-4
# The definition of every norm, of one matrix, and its dual norm; l<p> is defined below.
NORMS = {
    "fro": (lambda A: np.linalg.norm(A, "fro"), "fro"),
    "nuc": (lambda A: np.linalg.norm(A, "nuc"), "spectral"),
    "spectral": (lambda A: np.linalg.norm(A, 2), "nuc"),
    "l1": (lambda A: np.linalg.norm(A.ravel(), 1.0), "linf"),
    "linf": (lambda A: np.abs(A).max(), "l1"),
    "rowmax": (lambda A: np.sqrt((A * A).sum(1)).max(), "rowsum"),
    "rowsum": (lambda A: np.sqrt((A * A).sum(1)).sum(), "rowmax"),
}
AT_ONCE = 2**20  # numbers of the token differences held at a time
CANCELLING = 1e4  # how many times larger factors may be than their product, which loses as many digits
# The norms that depend on the singular values alone, of a matrix given by factors.
OF_SINGULAR_VALUES: dict = {"fro": np.linalg.norm, "nuc": np.sum, "spectral": np.max}


def size_of(A: np.ndarray, norm: str) -> float:
    """The norm of one matrix, by its definition."""
    return float(NORMS[norm][0](A) if norm in NORMS else np.linalg.norm(A.ravel(), float(norm[1:])))


def dual_of(norm: str) -> str:
    """The name of the dual norm."""
    return NORMS[norm][1] if norm in NORMS else f"l{1 / (1 - 1 / float(norm[1:]))!r}"


class Whole:
    """A matrix (d, e)."""

    def __init__(self, A):
        self.A = A

    def finite(self) -> bool:
        return bool(np.isfinite(self.A).all())

    @cached_property
    def sigma(self):
        """Its singular values, the largest first."""
        return np.linalg.svd(self.A, compute_uv=False)

    def size(self, norm: str) -> float:
        in_sigma = norm in ("nuc", "spectral")
        return float(OF_SINGULAR_VALUES[norm](self.sigma)) if in_sigma else size_of(self.A, norm)

    def on(self, queries):
        """Its products with queries (n, e), (n, d)."""
        return queries @ self.A.T


class Product:
    """The matrix left @ right.T, never formed, for left (d, r) and right (e, r)."""

    def __init__(self, left, right):
        self.left, self.right = left, right

    def finite(self) -> bool:
        return bool(np.isfinite(self.left).all() and np.isfinite(self.right).all())

    def cancels(self) -> bool:
        """Whether the product is so much smaller than its factors that it has lost its digits to rounding."""
        return bool(np.linalg.norm(self.left) * np.linalg.norm(self.right) > CANCELLING * self.size("fro"))

    @cached_property
    def sigma(self):
        """The singular values that can be other than zero, the largest first."""
        left, right = (np.linalg.qr(part)[1] for part in (self.left, self.right))
        return np.linalg.svd(left @ right.T, compute_uv=False)

    def size(self, norm: str) -> float:
        return float(OF_SINGULAR_VALUES[norm](self.sigma))

    def on(self, queries):
        return (queries @ self.right) @ self.left.T


def combined(matrices, dual):
    """Σ_k dual_k A_k as a product: of the weighted token differences of every query, and of the queries."""
    tokens, queries, winner, loser, query = matrices
    heavy = np.flatnonzero(dual)
    used, place = np.unique(query[heavy], return_inverse=True)
    total = np.zeros((max(len(used), 1), tokens.shape[1]))
    at_once = AT_ONCE // tokens.shape[1] + 1
    for start in range(0, len(heavy), at_once):
        some = heavy[start : start + at_once]
        weighted = dual[some, None] * (tokens[winner[some]] - tokens[loser[some]])
        np.add.at(total, place[start : start + at_once], weighted)
    return Product(total.T, queries[used].T if len(used) else np.zeros((queries.shape[1], 1)))


def combination(matrices, dual):
    """Σ_k dual_k A_k."""
    tokens, queries, winner, loser, query = matrices
    total, heavy = np.zeros((tokens.shape[1], queries.shape[1])), np.flatnonzero(dual)
    at_once = AT_ONCE // tokens.shape[1] + 1
    for start in range(0, len(heavy), at_once):
        some = heavy[start : start + at_once]
        difference = tokens[winner[some]] - tokens[loser[some]]
        total += (difference.T * dual[some]) @ queries[query[some]]
    return total


def products(matrices, W):
    """⟨A_k, W⟩ and ‖A_k‖_F for every k; the products are zero where W is None."""
    tokens, queries, winner, loser, query = matrices
    against = np.zeros((len(queries), tokens.shape[1])) if W is None else W.on(queries)
    length = np.linalg.norm(queries, axis=1)
    reached, sizes = np.empty(len(query)), np.empty(len(query))
    at_once = AT_ONCE // tokens.shape[1] + 1
    for start in range(0, len(query), at_once):
        some = slice(start, start + at_once)
        difference = tokens[winner[some]] - tokens[loser[some]]
        reached[some] = np.einsum("ka,ka->k", difference, against[query[some]])
        sizes[some] = np.sqrt(np.einsum("ka,ka->k", difference, difference)) * length[query[some]]
    return reached, sizes


def check(matrices, bound, equality, norm: str, tol: float, claim) -> str:
    """The reason why the claim does not hold, or "" if it holds.

    Args:
        matrices: (tokens (N, d), queries (n, e), winner (m,), loser (m,), query (m,)), the last three row numbers: the
            matrices A_k.
        bound: (m,), equality: (m,) bool: the constraints ⟨A_k, W⟩ ≥ bound_k.
        norm: one of NORMS, or "l<p>".
        tol: the relative duality gap allowed.
        claim: its status, dual, rank and rank_bound, and W or, where these are not None, its factors (left (d, r),
            right (e, r)) with W = left @ right.T. Factors are taken in the norms OF_SINGULAR_VALUES.
    """
    dual, factors = claim.dual, getattr(claim, "factors", None)
    if claim.status not in ("solved", "infeasible"):
        return f"status {claim.status} claims nothing"
    if not np.isfinite(dual).all() or (dual[~equality] < 0).any():
        return "a multiplier is not finite, or negative on an inequality"
    if factors is not None and norm not in OF_SINGULAR_VALUES:
        return f"the norm {norm} of a product is not known from its factors"
    M = Whole(combination(matrices, dual)) if factors is None else combined(matrices, dual)

    if claim.status == "infeasible":
        if not bound @ dual > 0:
            return "the Farkas certificate promises no positive bound"
        promised = bound @ dual / np.abs(bound).max()
        small = M.size("fro") <= RESIDUAL * products(matrices, None)[1].max() * promised
        return "" if small else "the Farkas combination of the constraints is not zero"

    W = Whole(claim.W) if factors is None else Product(*factors)
    if not W.finite():
        return "the solution is not finite"
    if isinstance(W, Product) and W.cancels():
        return "the factors of the solution are far larger than their product, which has lost its digits"
    reached, sizes = products(matrices, W)
    missing, room = bound - reached, MARGIN * np.abs(bound)
    # where the bound does not say what is small
    unscaled = equality | (bound <= TINY * bound[~equality].max(initial=0.0))
    if unscaled.any():
        missing = np.where(equality, np.abs(missing), missing)
        room = np.where(unscaled, np.maximum(room, MARGIN * sizes * W.size("fro")), room)
    if (missing > room).any():
        return "a constraint is violated"
    value, dual_size = W.size(norm), M.size(dual_of(norm))
    if dual_size > 1 + MARGIN:
        return "the multipliers are not dual feasible"
    excess = value - bound @ dual
    if excess > tol * value:
        # Multipliers add up to about ‖W‖²: their own rounding costs this much gap for each ‖W‖·max_k ‖A_k‖.
        rounding = 16 * np.finfo(float).eps * W.size("fro") * sizes.max(initial=0.0)
        if excess > (tol + rounding) * value:
            return "the duality gap is too large"
    if claim.rank != (W.sigma > (1e-9 if norm == "fro" else 1e-6) * W.sigma[0]).sum():
        return "the rank is miscounted"
    if norm == "nuc" and claim.rank_bound != (M.sigma > (1 - 1e-5) * M.sigma[0]).sum():
        return "the multiplicity of the largest singular value of the dual matrix is miscounted"
    return ""
