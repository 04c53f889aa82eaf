"""The two layers of every kind on the tape, and what is drawn for them and not trained."""

import numpy as np

from attnsvm.experiments.layers_beyond.kinds import CLASSES, EPS, TARGET, Kind
from attnsvm.training.start import draw_initial, normal
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.layers import layer_norm, tanh
from attnsvm.training.tape.losses import cross_entropy, logistic, squared
from attnsvm.training.tape.node import Node


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
