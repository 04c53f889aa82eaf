"""Verify a certificate from the constraints alone, in plain NumPy, sharing no code with the solvers."""

import numpy as np

MARGIN = 1e-9  # relative violation of a constraint that rounding alone can cause
RESIDUAL = 1e-10  # of a Farkas certificate
DUAL_PAIRS = {"fro": "fro", "nuc": "spectral", "spectral": "nuc", "l1": "linf", "linf": "l1"}


def size_of(A, norm: str) -> float:
    """The norm of one matrix, by its definition."""
    match norm:
        case "fro" | "nuc":
            return np.linalg.norm(A, norm)
        case "spectral":
            return np.linalg.norm(A, 2)
        case "linf":
            return np.abs(A).max()
        case _:
            return np.linalg.norm(A.ravel(), float(norm[1:]))


def check(left, right, bound, equality, norm: str, tol: float, claim) -> str:
    """Why the claim does not hold, or "" when it does.

    Args:
        left: (m, d), right: (m, e), bound: (m,), equality: (m,) bool: the constraints left_kᵀ W right_k ≥ bound_k.
        norm: "fro", "nuc", "spectral", "l1", "linf" or "l<p>".
        tol: the relative duality gap allowed.
        claim: its status, W, dual, rank and rank_bound.
    """
    dual, W = claim.dual, claim.W
    if claim.status not in ("solved", "infeasible"):
        return f"status {claim.status} claims nothing"
    if not np.isfinite(dual).all() or (dual[~equality] < 0).any():
        return "a multiplier is not finite, or negative on an inequality"
    M = (left.T * dual) @ right
    sizes = np.sqrt((left**2).sum(1) * (right**2).sum(1))

    if claim.status == "infeasible":
        if not bound @ dual > 0:
            return "the Farkas certificate promises no positive bound"
        small = np.sqrt((M**2).sum()) <= RESIDUAL * sizes.max() * np.abs(dual).sum()
        return "" if small else "the Farkas combination of the constraints is not zero"

    if not np.isfinite(W).all():
        return "the solution is not finite"
    reached = ((left @ W) * right).sum(1)
    missing = np.where(equality, np.abs(reached - bound), bound - reached)
    if (missing > MARGIN * np.maximum(np.abs(bound), np.where(equality, sizes * size_of(W, "fro"), 0.0))).any():
        return "a constraint is violated"
    value = size_of(W, norm)
    partner = DUAL_PAIRS.get(norm) or f"l{1 / (1 - 1 / float(norm[1:]))!r}"
    if size_of(M, partner) > 1 + MARGIN:
        return "the multipliers are not dual feasible"
    rounding = 16 * np.finfo(float).eps * size_of(W, "fro") * sizes.max(initial=0.0)  # of the multipliers themselves
    if value - bound @ dual > (tol + rounding) * value:
        return "the duality gap is too large"
    sigma = np.linalg.svd(W, compute_uv=False)
    if claim.rank != (sigma > (1e-9 if norm == "fro" else 1e-6) * sigma[0]).sum():
        return "the rank is miscounted"
    if norm == "nuc":
        sigma = np.linalg.svd(M, compute_uv=False)
        if claim.rank_bound != (sigma > (1 - 1e-5) * sigma[0]).sum():
            return "the multiplicity of the largest singular value of the dual matrix is miscounted"
    return ""
