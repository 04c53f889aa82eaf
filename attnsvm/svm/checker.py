"""Verify a certificate from the constraints alone, in plain NumPy, sharing no code with the solvers."""

import numpy as np

MARGIN = 1e-9  # relative violation of a constraint or a sign that rounding alone can cause
GAP = {"fro": 1e-10, "nuc": 1e-7}
RESIDUAL = 1e-10


def check(left, right, bound, equality, norm: str, status: str, W, dual) -> str:
    """The reason why the claim does not hold, or "" when it does.

    Args:
        left: (m, d), right: (m, e), bound: (m,), equality: (m,) bool: the constraints left_kᵀ W right_k ≥ bound_k.
        norm: "fro" or "nuc".
        status: "solved" or "infeasible"; anything else is not a claim and never holds.
        W: (d, e), the solution claimed optimal.
        dual: (m,), its multipliers, or the Farkas certificate.
    """
    if status not in ("solved", "infeasible"):
        return f"status {status!r} claims nothing"
    if not np.isfinite(dual).all():
        return "the multipliers are not finite"
    if (dual[~equality] < 0).any():
        return "a multiplier of an inequality is negative"
    M = np.zeros((left.shape[1], right.shape[1]))
    for k in range(len(bound)):
        M += dual[k] * np.outer(left[k], right[k])

    if status == "infeasible":
        sizes = [np.sqrt((a @ a) * (b @ b)) for a, b in zip(left, right, strict=True)]
        if not bound @ dual > 0:
            return "the Farkas certificate promises no positive bound"
        if np.sqrt((M**2).sum()) > RESIDUAL * max(sizes) * np.abs(dual).sum():
            return "the Farkas combination of the constraints is not zero"
        return ""

    if not np.isfinite(W).all():
        return "the solution is not finite"
    reached = np.array([a @ W @ b for a, b in zip(left, right, strict=True)])
    room = MARGIN * np.maximum(np.abs(bound), 1e-3 * np.abs(bound).max(initial=0.0))
    if (np.where(equality, np.abs(reached - bound), bound - reached) > room + MARGIN * (bound == 0)).any():
        return "a constraint is violated"
    sigma_W, sigma_M = np.linalg.svd(W, compute_uv=False), np.linalg.svd(M, compute_uv=False)
    value, dual_norm = (
        (sigma_W.sum(), sigma_M.max()) if norm == "nuc" else (np.sqrt((W**2).sum()), np.sqrt((M**2).sum()))
    )
    if dual_norm > 1 + MARGIN:
        return "the multipliers are not dual feasible"
    if value - bound @ dual > GAP[norm] * value:
        return "the duality gap is too large"
    return ""
