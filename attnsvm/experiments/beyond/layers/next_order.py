"""The order behind u in theorem 2 of docs/theory.md: W = r u + (log r) V + ξ + ζ, with ξ → ξ^∞."""

import numpy as np

from attnsvm.analysis.ends import Ends
from attnsvm.experiments.beyond.layers.forces import Forces

NEAR = 1e-6  # relative: of margins that are one or zero, multipliers that are positive, terms that are independent


def left(problems, weights: np.ndarray, ends: Ends, solved: dict, dual: Forces) -> np.ndarray:
    """‖ξ − ξ^∞‖ over ‖P(W − r u)‖ at K steps, (S, K); NaN where H2, H3′ or H4 do not hold for what the rows end at.

    Args:
        weights: (S, K, 2, 1, d, d). ends, solved, dual: the corrected problems, their answers, their multipliers.
    """
    found = np.full(weights.shape[:2], np.nan)
    for s in range(len(found)):
        with np.errstate(invalid="ignore", divide="ignore"):  # logarithms of what should be positive, and of an early r
            if (terms := behind(problems, ends, solved, dual, s)) is not None:
                u, (matrices, V, finite) = terms
                W = weights[s, :, :, 0].reshape(len(weights[s]), -1)
                r = W @ u
                away = (W - r[:, None] * u) @ (np.linalg.pinv(matrices) @ matrices).T
                rest = away - np.log(r)[:, None] * V - finite
                found[s] = np.linalg.norm(rest, axis=1) / np.linalg.norm(away, axis=1)
    return found


def behind(problems, ends: Ends, solved: dict, dual: Forces, s: int):
    """u, and the matrices of all terms, V and ξ^∞, flat, of instance s; None where the hypotheses do not hold."""
    Z, Y, v = problems.queries[s], problems.labels[s], problems.head[s]
    composed, chosen, alpha = ends.rows.tokens[s, 1], ends.chosen[s, 0, 0], ends.rows.top[s, 0, :, 0].argmax(-1)
    u = np.stack([solved[layer]["W"][s] for layer in ("1", "2")])
    rho = 1.0 / np.linalg.norm(u)
    u, below, top = u * rho, dual.below[s] * rho, dual.top[s] * rho
    support, others = [], []  # (layer, matrix, multiplier, ⟨term, ξ^∞⟩), of others also ⟨term, V⟩
    for i, j in np.ndindex(chosen.shape):
        X, w, z, best = problems.tokens[s, i], chosen[i, j], Z[i], composed[i, alpha[i]]
        slope, lost = 1.0 / (1.0 + np.exp(Y[i] * best @ v)), Y[i] * (best - composed[i, j]) @ v
        A, along = (X[w] - X)[:, :, None] * X[j], (X - X[w]) @ u[1] @ z
        margin = (A * u[0]).sum((1, 2))
        if j == alpha[i]:
            for t in np.flatnonzero((margin < rho * (1 + NEAR)) & (np.arange(len(X)) != w)):
                size = slope * Y[i] * (X[w] - X[t]) @ v
                support.append((0, A[t], below[i, j, t], np.log(size / (rho * below[i, j, t]))))
            continue
        mixture = np.flatnonzero(ends.mixed[s, 0, 0, i, j])
        level = np.flatnonzero((margin < NEAR * rho) & (np.arange(len(X)) != w))
        if len(mixture):
            if len(mixture) > 1 or len(level) > 1 or lost <= 0:
                return None
            (t,) = mixture
            sign, least = np.sign(along[t]), ((best - X[j] - X[w]) @ u[1] @ z) - min(along[t], 0.0)
            share = (least - rho) / abs(along[t])
            others.append((0, sign * A[t], sign * below[i, j, t], np.log(1.0 / share - 1.0), 0.0))
        elif (best - composed[i, j]) @ u[1] @ z < rho * (1 + NEAR):
            size, own = slope * lost, top[i, j]
            held = [(0, A[t], below[i, j, t], np.log(along[t] * own / below[i, j, t]), 1.0) for t in level]
            others += held
            B = np.outer(best - composed[i, j], z)
            support.append((1, B, own, np.log(size / (rho * own)) + sum(one[2] for one in held) / own))
        elif len(level):
            return None
    every = [*support, *others]
    matrices = np.zeros((len(every), *u.shape))
    for place, (layer, matrix, *_) in enumerate(every):
        matrices[place, layer] = matrix
    matrices, multipliers = matrices.reshape(len(every), -1), np.array([one[2] for one in every])
    finite, singular = np.array([one[3] for one in every]), np.linalg.svd(matrices, compute_uv=False)
    sound = multipliers.min() > NEAR * multipliers.max() and singular[-1] > NEAR * singular[0]
    whole = np.linalg.norm(multipliers @ matrices - u.ravel()) < NEAR  # else another term has a multiplier
    if not (sound and whole and np.isfinite(finite).all()):
        return None
    nu = sum(one[2] * one[4] for one in others)
    slow = np.array([-rho * nu] * len(support) + [one[4] for one in others])
    finite[: len(support)] -= multipliers @ finite / multipliers[: len(support)].sum()  # orthogonal to u
    inverse = np.linalg.pinv(matrices)
    return u.ravel(), (matrices, inverse @ slow, inverse @ finite)
