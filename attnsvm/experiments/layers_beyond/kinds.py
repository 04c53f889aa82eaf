"""Two layers of attention with something else in them: what stands between, temperatures, and the loss."""

from dataclasses import dataclass

import numpy as np

CLASSES = 4
TARGET = 3.0  # of the squared loss, times the label
EPS = 1e-5  # of the normalisation


@dataclass(frozen=True)
class Kind:
    """What differs from the plain stack.

    Attributes:
        below, top: temperatures, which divide the logits.
        between: what is done to composed tokens before the top: "", "mlp" (x + B tanh(A x), fixed) or "norm".
        loss: "logistic", "squared" or "classes" (cross-entropy).
    """

    below: float = 1.0
    top: float = 1.0
    between: str = ""
    loss: str = "logistic"


KINDS = {
    "plain": Kind(),
    "temperatures 1 and 3": Kind(top=3.0),
    "squared loss": Kind(loss="squared"),
    "MLP between": Kind(between="mlp"),
    "normalised before the top": Kind(between="norm"),
    "four classes": Kind(loss="classes"),
}


def between(kind: Kind, Y: np.ndarray, run) -> np.ndarray:
    """What the top sees of composed tokens (S, n, T, d)."""
    if kind.between == "mlp":
        return Y + np.tanh(Y @ run["A"][:, None]) @ run["B"][:, None]
    if kind.between == "norm":
        centred = Y - Y.mean(-1, keepdims=True)
        return centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPS)
    return Y
