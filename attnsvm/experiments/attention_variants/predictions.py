"""Attention without a softmax is linear in what is learned: f_i = ⟨F_i, w⟩, F_i the features of an input.

linear attention   f = Σ_t (x_tᵀ W z) vᵀx_t = ⟨Xᵀ X v zᵀ, W⟩
mixer              f = Σ_t a_t vᵀx_t, a weight for each position, the same for all inputs
"""

import numpy as np

from attnsvm.problems import Problems

LINEAR, MIXER, UNIFORM = "linear", "mixer", "uniform"
SMALLEST = 1e-140  # as in lanes.slopes: below it the square of a norm underflows


def features(problems: Problems, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """left (S, n, p) and right (S, n, q) with F_i = left_i right_iᵀ."""
    values = np.einsum("sntd,sd->snt", problems.tokens, problems.head)
    if kind == LINEAR:
        return np.einsum("sntd,snt->snd", problems.tokens, values), problems.queries
    return values, np.ones((*values.shape[:2], 1))


def token_weights(problems: Problems, kind: str, w: np.ndarray) -> np.ndarray:
    """What every token is weighted with, (S, L, n, T), for w (S, L, p, q)."""
    S, n, T, _ = problems.tokens.shape
    if kind == LINEAR:
        return np.einsum("sntd,slde,sne->slnt", problems.tokens, w, problems.queries, optimize=True)
    return np.broadcast_to(w[:, :, None, :, 0], (S, w.shape[1], n, T))


def classify(left, right, labels, start, learning_rate: float, kept: np.ndarray) -> np.ndarray:
    """Normalised descent on the mean logistic loss of Y_i leftᵢᵀ w rightᵢ, free of underflow: w (S, L, p, q).

    Args:
        left, right: see `features`; labels: (S, n).
        start: (S, p, q).
        kept: (L,) the steps to log, rising; the last one ends the descent.
    """
    signed = left * labels[..., None]
    gram = (signed @ signed.swapaxes(1, 2)) * (right @ right.swapaxes(1, 2))
    margin = np.einsum("snp,spq,snq->sn", signed, start, right)
    moved, found = np.zeros_like(margin), []
    for step in range(kept[-1] + 1):
        if step in kept:
            found.append(start + np.einsum("sn,snp,snq->spq", moved, signed, right))
        push = -np.logaddexp(0.0, margin)  # the logarithm of the slope of the loss
        push = np.exp(push - push.max(1, keepdims=True))
        response = (gram @ push[..., None])[..., 0]
        size = np.sqrt(np.maximum((response * push).sum(1, keepdims=True), 0.0))
        scale = learning_rate / (size + SMALLEST)
        margin = margin + scale * response
        moved += scale * push
    return np.stack(found, 1)
