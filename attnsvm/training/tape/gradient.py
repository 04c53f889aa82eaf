"""The reverse sweep: from a loss to the gradient of the weights."""

from functools import reduce
from typing import Any

import numpy as np

from attnsvm.training.tape.node import Adjoint, Node
from attnsvm.training.tape.scaled import Scaled, plus
from attnsvm.training.tape.terms import Terms


def gradient(loss: Node, weights: dict[str, Node]) -> dict[str, Terms]:
    """∂ loss/∂ weight of each of the weights, for a loss with one number for each instance.

    Raises:
        ValueError: the loss is not one number for each instance, or does not depend on a weight.
    """
    if loss.shape:
        raise ValueError(f"loss: expected one number for each instance, got an array of the shape {loss.shape}")
    S = len(loss.value)
    nodes = _behind(loss)
    arrived: dict[int, list[Adjoint]] = {order: [] for order in nodes}
    arrived[loss.order] = [Scaled(np.ones(S), np.zeros(S, dtype=np.int64))]
    for order in sorted(nodes, reverse=True):
        node = nodes[order]
        if node.parents:
            adjoint = _sum(arrived.pop(order))
            for parent, pull in node.parents:
                arrived[parent.order].append(pull(adjoint))
    unused = [name for name, node in weights.items() if node.order not in arrived]
    if unused:
        raise ValueError(f"weights: the loss does not depend on {', '.join(unused)}")
    return {name: _terms(arrived[node.order]) for name, node in weights.items()}


def _behind(loss: Node) -> dict[int, Node]:
    """The loss and all that it was made of and that is needed, by order."""
    found, todo = {loss.order: loss}, [loss]
    while todo:
        for parent, _ in todo.pop().parents:
            if parent.order not in found:
                found[parent.order] = parent
                todo.append(parent)
    return found


def _sum(parts: list[Any]) -> Adjoint:
    if any(isinstance(part, Terms) for part in parts):
        return _terms(parts)
    return reduce(plus, parts)


def _terms(parts: list[Any]) -> Terms:
    return Terms.joined([part if isinstance(part, Terms) else Terms.of(part) for part in parts])
