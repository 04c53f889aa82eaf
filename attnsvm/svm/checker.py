"""Verify a certificate from the constraints alone, in plain NumPy, sharing no code with the solvers.

The matrices A_k = (tokens[winner_k] − tokens[loser_k]) queries[query_k]ᵀ are never formed: the cost is one pass over
the tokens, n·d·e for W on the queries, and d·e for every multiplier that is not zero.
"""

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


def size_of(A: np.ndarray, norm: str) -> float:
    """The norm of one matrix, by its definition."""
    return float(NORMS[norm][0](A) if norm in NORMS else np.linalg.norm(A.ravel(), float(norm[1:])))


def dual_of(norm: str) -> str:
    """The name of the dual norm."""
    return NORMS[norm][1] if norm in NORMS else f"l{1 / (1 - 1 / float(norm[1:]))!r}"


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
    against = np.zeros((len(queries), tokens.shape[1])) if W is None else queries @ W.T
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
    """Why the claim does not hold, or "" when it does.

    Args:
        matrices: (tokens (N, d), queries (n, e), winner (m,), loser (m,), query (m,)), the last three row numbers: the
            matrices A_k.
        bound: (m,), equality: (m,) bool: the constraints ⟨A_k, W⟩ ≥ bound_k.
        norm: one of NORMS, or "l<p>".
        tol: the relative duality gap allowed.
        claim: its status, W, dual, rank and rank_bound.
    """
    dual, W = claim.dual, claim.W
    if claim.status not in ("solved", "infeasible"):
        return f"status {claim.status} claims nothing"
    if not np.isfinite(dual).all() or (dual[~equality] < 0).any():
        return "a multiplier is not finite, or negative on an inequality"
    M = combination(matrices, dual)

    if claim.status == "infeasible":
        if not bound @ dual > 0:
            return "the Farkas certificate promises no positive bound"
        promised = bound @ dual / np.abs(bound).max()
        small = size_of(M, "fro") <= RESIDUAL * products(matrices, None)[1].max() * promised
        return "" if small else "the Farkas combination of the constraints is not zero"

    if not np.isfinite(W).all():
        return "the solution is not finite"
    reached, sizes = products(matrices, W)
    missing, room = bound - reached, MARGIN * np.abs(bound)
    # where the bound does not say what is small
    unscaled = equality | (bound <= TINY * bound[~equality].max(initial=0.0))
    if unscaled.any():
        missing = np.where(equality, np.abs(missing), missing)
        room = np.where(unscaled, np.maximum(room, MARGIN * sizes * size_of(W, "fro")), room)
    if (missing > room).any():
        return "a constraint is violated"
    sigma, of_dual = np.linalg.svd(W, compute_uv=False), np.zeros(0)
    if norm == "nuc":
        of_dual = np.linalg.svd(M, compute_uv=False)
        value, dual_size = sigma.sum(), of_dual[0]
    else:
        value, dual_size = size_of(W, norm), size_of(M, dual_of(norm))
    if dual_size > 1 + MARGIN:
        return "the multipliers are not dual feasible"
    excess = value - bound @ dual
    if excess > tol * value:
        # Multipliers add up to about ‖W‖²: their own rounding costs this much gap for each ‖W‖·max_k ‖A_k‖.
        rounding = 16 * np.finfo(float).eps * size_of(W, "fro") * sizes.max(initial=0.0)
        if excess > (tol + rounding) * value:
            return "the duality gap is too large"
    if claim.rank != (sigma > (1e-9 if norm == "fro" else 1e-6) * sigma[0]).sum():
        return "the rank is miscounted"
    if norm == "nuc" and claim.rank_bound != (of_dual > (1 - 1e-5) * of_dual[0]).sum():
        return "the multiplicity of the largest singular value of the dual matrix is miscounted"
    return ""
