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

from attnsvm.svm.reductions import transposed


def steps(
    left: np.ndarray, right: np.ndarray, bound: np.ndarray, W: np.ndarray, dual: np.ndarray, rank: int
) -> tuple[np.ndarray, np.ndarray]:
    """(W, multipliers) after one Newton step, of each of S problems.

    Args:
        left: (S, t, p), right: (S, t, q), bound: (S, t): the tight rows.
        W: (S, p, q), dual: (S, t): near the optimum, ‖Σ λ_k l_k r_kᵀ‖₂ about 1.
        rank: at least 1, that of the optimum.

    Returns:
        The answers, of which nothing is promised; W is NaN where the system is singular.
    """
    try:
        return _steps(left, right, bound, W, dual, rank)
    except np.linalg.LinAlgError:  # of one of them
        if len(W) == 1:
            return np.full(W.shape, np.nan), dual
        parts = zip(*(np.split(array, len(W)) for array in (left, right, bound, W, dual)), strict=True)
        each = [steps(left, right, bound, W, dual, rank) for left, right, bound, W, dual in parts]
        return np.concatenate([W for W, _ in each]), np.concatenate([dual for _, dual in each])


def _steps(left, right, bound, W, dual, rank):
    U, sigma, Vt = np.linalg.svd(W)
    u, v, S = left @ U, right @ transposed(Vt), sigma[:, None, :rank]
    x, y, z, w = u[..., :rank], u[..., rank:], v[..., :rank], v[..., rank:]
    xT, zT = transposed(x), transposed(z)
    N = transposed(y * dual[..., None]) @ w
    NT = transposed(N)
    xS, zS = x * S, z * S
    xSx, xSz, zSz = xS @ xT, xS @ zT, zS @ zT
    wN = w @ NT
    right_part = np.linalg.inv(np.eye(w.shape[2]) - NT @ N)
    left_part = np.linalg.inv(np.eye(y.shape[2]) - N @ NT)
    yy, ww, yw = y @ left_part @ transposed(y), w @ right_part @ transposed(w), y @ (left_part @ transposed(wN))
    mixed = transposed(x @ zT)
    matrix = xSx * (ww + (z @ zT) / 4) + zSz * (yy + (x @ xT) / 4)
    cross = xSz * (transposed(yw) - mixed / 4)
    matrix += cross + transposed(cross)

    def change(dual):
        """The corner of Σ λ_k A_k, and the blocks of the change of W that it asks for, but for the symmetric part."""
        weighted = dual[..., None]
        corner = transposed(x * weighted) @ z
        turned = (corner - transposed(corner)) / 2
        E = (transposed(xS * weighted) @ w + (transposed(zS * weighted) @ y) @ N) @ right_part
        F = transposed(y * weighted) @ zS + N @ transposed(E)
        return corner, (transposed(S) * turned + turned * S) / 2, E, F

    # Increments, not the new multipliers: those can be so large that their rounding hides what W lacks.
    corner, top, E, F = change(dual)
    t, (a, b, once) = dual.shape[1], _pairs(rank)
    symmetric = (x[..., a] * z[..., b] + x[..., b] * z[..., a]) * once
    size = t + len(a)
    system, wanted = np.zeros((len(W), size, size)), np.empty((len(W), size))
    system[:, :t, :t], system[:, :t, t:], system[:, t:, :t] = matrix, symmetric, transposed(symmetric)
    wanted[:, :t] = bound - ((xS + x @ top + y @ F) * z).sum(2) - ((x @ E) * w).sum(2)
    wanted[:, t:] = (a == b) - (corner[:, a, b] + corner[:, b, a]) * once
    solved = [dgesv(*one)[2:] for one in zip(system, wanted, strict=True)]
    if any(failed or not np.isfinite(one).all() for one, failed in solved):
        raise np.linalg.LinAlgError("singular")
    found = np.array([one for one, _ in solved])
    _, more, more_E, more_F = change(found[:, :t])
    top += more
    top[:, a, b] += found[:, t:]
    top[:, b, a] += np.where(a == b, 0.0, found[:, t:])
    top.reshape(len(W), -1)[:, :: rank + 1] += S[:, 0]
    E, F = E + more_E, F + more_F
    changed = np.empty(W.shape)
    changed[:, :rank, :rank], changed[:, :rank, rank:], changed[:, rank:, :rank] = top, E, F
    changed[:, rank:, rank:] = F @ np.linalg.solve(top, E)  # of a matrix of rank r with the other three blocks
    return U @ changed @ Vt, dual + found[:, :t]


@lru_cache(maxsize=256)
def _pairs(rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries on and above the diagonal, and one half where the two numbers are equal."""
    a, b = np.triu_indices(rank)
    return a, b, np.where(a == b, 0.5, 1.0)
