"""Operations between layers of attention: nonlinearities, and a normalisation."""

import numpy as np

from attnsvm.training.tape.node import Node, mapped
from attnsvm.training.tape.scaled import Scaled, by_rows, from_log, tidy


def relu(a: Node) -> Node:
    """max(a, 0), with slope 0 at 0."""
    return mapped(a, np.maximum(a.value, 0.0), (a.value > 0.0).astype(float))


def tanh(a: Node) -> Node:
    """The hyperbolic tangent."""
    twice = np.exp(-2.0 * np.abs(a.value))
    m, k = from_log(-2.0 * np.abs(a.value))
    return mapped(a, np.tanh(a.value), 4.0 * m / (1.0 + twice) ** 2, k)


def layer_norm(a: Node, eps: float = 1e-5) -> Node:
    """(a − mean)/√(variance + eps) over the last axis (arXiv 1607.06450), without gain and bias."""
    x = a.value - a.value.mean(-1, keepdims=True)
    size = np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    unit = x / size

    def pull(g: Scaled) -> Scaled:
        g = by_rows(g)
        m = g.m - unit * (g.m * unit).mean(-1, keepdims=True)
        return tidy(Scaled((m - g.m.mean(-1, keepdims=True)) / size, g.k))

    return Node(unit, (a, pull))
