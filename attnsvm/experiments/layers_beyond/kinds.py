"""Two layers of attention with something else in them: what stands between, temperatures, and the loss."""

from dataclasses import dataclass

import numpy as np

from attnsvm.training.start import draw_initial, normal
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.layers import layer_norm, tanh
from attnsvm.training.tape.losses import cross_entropy, logistic, squared
from attnsvm.training.tape.node import Node

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


def fixed(problems) -> dict[str, np.ndarray]:
    """What is drawn and not trained: A, B (S, d, d) of the MLP, readers of the classes (S, d, 4), targets (S, n)."""
    _, n, _, d = problems.tokens.shape
    drawn = {
        name: draw_initial(f"layers_beyond {name}", problems.seeds, normal(shape)) / np.sqrt(d)
        for name, shape in (("A", (d, d)), ("B", (d, d)), ("reader", (d, CLASSES)))
    }
    order = draw_initial("layers_beyond classes", problems.seeds, normal((n, CLASSES)))
    return drawn | {"classes": order.argmax(-1).astype(float)}


def model(kind: Kind):
    """The loss on the tape, from the weights W1, W2 (d, d)."""

    def loss(weights: dict[str, Node], given: dict[str, Node]) -> Node:
        X = given["tokens"]
        Y = X + softmax(scores(X, weights["W1"], X), temperature=kind.below) @ X
        if kind.between == "mlp":
            Y = Y + tanh(Y @ given["A"]) @ given["B"]
        elif kind.between == "norm":
            Y = layer_norm(Y, EPS)
        read = softmax(scores(Y, weights["W2"], given["queries"]), temperature=kind.top) @ Y
        if kind.loss == "classes":
            return cross_entropy(given["classes"], read @ given["reader"])
        out = read @ given["head"]
        if kind.loss == "squared":
            return squared(given["labels"] * TARGET, out)
        return logistic(given["labels"], out)

    return loss


def between(kind: Kind, Y: np.ndarray, run) -> np.ndarray:
    """What the top sees of composed tokens (S, n, T, d)."""
    if kind.between == "mlp":
        return Y + np.tanh(Y @ run["A"][:, None]) @ run["B"][:, None]
    if kind.between == "norm":
        centred = Y - Y.mean(-1, keepdims=True)
        return centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPS)
    return Y
