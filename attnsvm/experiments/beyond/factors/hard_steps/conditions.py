"""What of three conditions on (K, Q) is left far out: of the hard steps' limit, of it without turning, of the nuclear.

A hard step at the constraint c adds b̂ (Qᵀz)^ᵀ to K and ẑ (Kᵀb)^ᵀ to Q, each of length one. If K Qᵀ keeps its
direction, K(t) = t·K̄ exp(A log t) and Q(t) = t·Q̄ exp(A log t) with an antisymmetric A: a turn of the columns of both
factors leaves K Qᵀ as it is, and nothing holds it back. With the share μ_c of the steps at each constraint, the
derivative gives

    K(I + A) = Σ μ_c b̂_c (Qᵀz_c)^ᵀ,   Q(I + A) = Σ μ_c ẑ_c (Kᵀb_c)^ᵀ,   μ ≥ 0, μ_c > 0 at least margin only.

One norm for both gradients gives the conditions of the nuclear solution instead, with λ_c b_c (Qᵀz_c)ᵀ and
λ_c z_c (Kᵀb_c)ᵀ: there K and Q share their multipliers, and A = 0.
"""

import numpy as np
from scipy.optimize import lsq_linear


def left(b: np.ndarray, z: np.ndarray, K: np.ndarray, Q: np.ndarray) -> dict[str, float]:
    """What the best multipliers and the best A leave of the conditions, relative to ‖(K, Q)‖, of one instance.

    Args:
        b, z: (C, d), of its constraints; K, Q: (d, m).
    """
    size = np.sqrt(np.square(K).sum() + np.square(Q).sum())
    K, Q = K / size, Q / size
    k, q = b @ K, z @ Q
    margin = np.einsum("cm,cm->c", k, q)
    common = _columns(b[:, :, None] * q[:, None], z[:, :, None] * k[:, None])
    own = _columns(_unit(b[:, :, None] * q[:, None]), _unit(z[:, :, None] * k[:, None]))
    spiral, found = _least(own, _turns(K, Q), K, Q)
    mu, turn = found[: len(b)], found[len(b) :]
    return {
        "spiral": spiral,
        "still": _least(own, np.zeros((K.size + Q.size, 0)), K, Q)[0],
        "nuclear": _least(common, np.zeros((K.size + Q.size, 0)), K, Q)[0],
        "turn": float(np.sqrt(2.0) * np.linalg.norm(turn)),
        "slack": float(mu @ (margin - margin.min()) / (mu.sum() * margin.min())),
    }


def _least(positive, free, K, Q):
    """The norm of what is left of (K, Q), and the coefficients: of the columns `positive` at least zero."""
    lowest = np.concatenate([np.zeros(positive.shape[1]), np.full(free.shape[1], -np.inf)])
    answer = lsq_linear(np.hstack([positive, free]), np.concatenate([K.ravel(), Q.ravel()]), (lowest, np.inf))
    return float(np.sqrt(2.0 * answer.cost)), answer.x


def _columns(in_K, in_Q):
    return np.hstack([in_K.reshape(len(in_K), -1), in_Q.reshape(len(in_Q), -1)]).T


def _unit(matrices):
    return matrices / np.linalg.norm(matrices, axis=(1, 2), keepdims=True)


def _turns(K, Q):
    """−(K A, Q A) for every antisymmetric A with one pair of entries ±1."""
    m = K.shape[1]
    found = []
    for i in range(m):
        for j in range(i):
            A = np.zeros((m, m))
            A[i, j], A[j, i] = 1.0, -1.0
            found.append(-np.concatenate([(K @ A).ravel(), (Q @ A).ravel()]))
    return np.array(found).reshape(-1, K.size + Q.size).T
