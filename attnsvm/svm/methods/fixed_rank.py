"""The last digits of a least nuclear norm: Newton's method where the rank and the tight rows are known.

In orthonormal bases (U, U⊥) and (V, V⊥) an optimum of rank r and its multipliers are

    W = [[S, 0], [0, 0]],   Σ λ_k A_k = [[I, 0], [0, N]],   S ≻ 0,  ‖N‖₂ < 1,   ⟨A_k, W⟩ = b_k  on the tight rows.

Both sides linearised on the matrices of rank r leave a system in the multipliers and the symmetric part of dS: its
matrix is made of products of Gram matrices, since the A_k = l_k r_kᵀ have rank one. Nothing grows as the gap closes, as
it does in an interior-point method, so that the gap ends near rounding.
"""

from functools import lru_cache

import numpy as np
from scipy.linalg.lapack import dgesv


def step(
    left: np.ndarray, right: np.ndarray, bound: np.ndarray, W: np.ndarray, dual: np.ndarray, rank: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """(W, multipliers) after one Newton step.

    Args:
        left: (t, p), right: (t, q), bound: (t,): the tight rows.
        W: (p, q), dual: (t,): near the optimum, ‖Σ λ_k l_k r_kᵀ‖₂ about 1.
        rank: at least 1, that of the optimum.

    Returns:
        The answer, of which nothing is promised; None where the system is singular.
    """
    U, sigma, Vt = np.linalg.svd(W)
    u, v, S = left @ U, right @ Vt.T, sigma[:rank]
    x, y, z, w = u[:, :rank], u[:, rank:], v[:, :rank], v[:, rank:]
    N = (y * dual[:, None]).T @ w
    xS, zS = x * S, z * S
    xSx, xSz, zSz = xS @ x.T, xS @ z.T, zS @ z.T
    wN = w @ N.T
    try:
        right_part = np.linalg.inv(np.eye(w.shape[1]) - N.T @ N)
        left_part = np.linalg.inv(np.eye(y.shape[1]) - N @ N.T)
    except np.linalg.LinAlgError:
        return None
    yy, ww, yw = y @ left_part @ y.T, w @ right_part @ w.T, y @ (left_part @ wN.T)
    mixed = (x @ z.T).T
    matrix = xSx * (ww + (z @ z.T) / 4) + zSz * (yy + (x @ x.T) / 4)
    cross = xSz * (yw.T - mixed / 4)
    matrix += cross + cross.T

    def change(dual):
        """The corner of Σ λ_k A_k, and the blocks of the change of W that it asks for, but for the symmetric part."""
        weighted = dual[:, None]
        corner = (x * weighted).T @ z
        turned = (corner - corner.T) / 2
        E = ((xS * weighted).T @ w + ((zS * weighted).T @ y) @ N) @ right_part
        F = (y * weighted).T @ zS + N @ E.T
        return corner, (S[:, None] * turned + turned * S) / 2, E, F

    # Increments, not the new multipliers: those can be so large that their rounding hides what W lacks.
    corner, top, E, F = change(dual)
    t, (a, b, once) = len(dual), _pairs(rank)
    symmetric = (x[:, a] * z[:, b] + x[:, b] * z[:, a]) * once
    size = t + len(a)
    system, wanted = np.zeros((size, size)), np.empty(size)
    system[:t, :t], system[:t, t:], system[t:, :t] = matrix, symmetric, symmetric.T
    wanted[:t] = bound - ((xS + x @ top + y @ F) * z).sum(1) - ((x @ E) * w).sum(1)
    wanted[t:] = (a == b) - (corner[a, b] + corner[b, a]) * once
    _, _, found, failed = dgesv(system, wanted)
    if failed or not np.isfinite(found).all():
        return None
    _, more, more_E, more_F = change(found[:t])
    top += more
    top[a, b] += found[t:]
    top[b, a] += np.where(a == b, 0.0, found[t:])
    top.flat[:: rank + 1] += S
    E, F = E + more_E, F + more_F
    changed = np.empty(W.shape)
    changed[:rank, :rank], changed[:rank, rank:], changed[rank:, :rank] = top, E, F
    try:
        changed[rank:, rank:] = F @ np.linalg.solve(top, E)  # of a matrix of rank r with the other three blocks
    except np.linalg.LinAlgError:
        return None
    return U @ changed @ Vt, dual + found[:t]


@lru_cache(maxsize=256)
def _pairs(rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries on and above the diagonal, and one half where the two numbers are equal."""
    a, b = np.triu_indices(rank)
    return a, b, np.where(a == b, 0.5, 1.0)
