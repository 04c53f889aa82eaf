"""The two layers of every kind on the tape, and what is drawn for them and not trained."""

from functools import reduce
from operator import add

import numpy as np

from attnsvm.experiments.beyond.layers_beyond.kinds import CLASSES, EPS, TARGET, Kind
from attnsvm.training.start import draw_initial, normal
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.layers import layer_norm, tanh
from attnsvm.training.tape.losses import cross_entropy, logistic, squared
from attnsvm.training.tape.node import Node


def fixed(problems) -> dict[str, np.ndarray]:
    """What is drawn and not trained, by name.

    A, B: (S, d, d) of the MLP; reader: (S, d, 4) of the classes; classes: (S, n), targets; values: (S, 2, 2, d, d), the
    output matrices of two heads.
    """
    _, n, _, d = problems.tokens.shape
    drawn = {
        name: draw_initial(f"layers_beyond {name}", problems.seeds, normal(shape)) / np.sqrt(d)
        for name, shape in (("A", (d, d)), ("B", (d, d)), ("reader", (d, CLASSES)))
    }
    drawn["values"] = draw_initial("layers_beyond values", problems.seeds, normal((2, 2, d, d))) / np.sqrt(d)
    order = draw_initial("layers_beyond classes", problems.seeds, normal((n, CLASSES)))
    return drawn | {"classes": order.argmax(-1).astype(float)}


def name(layer: int, head: int) -> str:
    """The name of a weight."""
    return f"W{layer}{head}"


def model(kind: Kind):
    """The loss on the tape, from the weights (d, d) by `name`."""

    def heads(layer, weights, given, X, queries, temperature):
        every = []
        for head in range(kind.heads):
            logits = scores(X, weights[name(layer, head)], queries)
            found = softmax(logits, temperature=temperature) @ X
            every.append(found @ given["values"][layer - 1, head] if kind.heads > 1 else found)
        return reduce(add, every)

    def loss(weights: dict[str, Node], given: dict[str, Node]) -> Node:
        X = given["tokens"]
        Y = X + heads(1, weights, given, X, X, kind.below)
        if kind.between == "mlp":
            Y = Y + tanh(Y @ given["A"]) @ given["B"]
        elif kind.between == "norm":
            Y = layer_norm(Y, EPS)
        read = heads(2, weights, given, Y, given["queries"], kind.top)
        if kind.behind:
            read = layer_norm(read, EPS)
        if kind.loss == "classes":
            return cross_entropy(given["classes"], read @ given["reader"])
        out = read @ given["head"]
        if kind.loss == "squared":
            return squared(given["labels"] * TARGET, out)
        return logistic(given["labels"], out)

    return loss
