"""Attention without a softmax is linear in what is learned: f_i = ⟨F_i, w⟩, F_i the features of an input.

linear attention   f = Σ_t (x_tᵀ W z) vᵀx_t = ⟨Xᵀ X v zᵀ, W⟩
mixer              f = Σ_t a_t vᵀx_t, a weight for each position, the same for all inputs
"""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.tape import descent
from attnsvm.training.tape.attention import scores
from attnsvm.training.tape.descent import Nodes
from attnsvm.training.tape.losses import logistic
from attnsvm.training.tape.node import Node

LINEAR, MIXER, UNIFORM = "linear", "mixer", "uniform"


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
    """Normalised descent on the mean logistic loss of f_i = leftᵢᵀ w rightᵢ: w (S, L, p, q).

    Args:
        left, right: see `features`; labels: (S, n).
        start: (S, p, q).
        kept: (L,) the steps to log, rising; the last one ends the descent.
    """
    inputs = {"left": left[:, :, None], "right": right[:, :, None], "labels": labels}
    return descent.descend(loss, {"w": start}, inputs, exact(learning_rate), kept[-1], kept).weights["w"]


def loss(weights: Nodes, inputs: Nodes) -> Node:
    """The loss of one instance, of w (p, q), on left (n, 1, p), right (n, 1, q) and labels (n,)."""
    f = scores(inputs["left"], weights["w"], inputs["right"])
    return logistic(inputs["labels"], f[:, 0, 0])
