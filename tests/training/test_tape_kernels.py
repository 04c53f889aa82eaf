"""The tape against the compiled loops, where these have the same model: before saturation and far behind."""

from itertools import cycle

import numpy as np
import pytest
from stack_references import arrays_of, by_names, stack_loss
from tape_models import TAPE
from training_references import HEADS, PENALTY

from attnsvm.data.draws import draw
from attnsvm.training import exact
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

ON_THE_TAPE = {  # h of mixtures (..., d)
    "linear": lambda x, v: x @ v,
    "relu": lambda x, V: TAPE.relu(x @ V) @ np.ones(V.shape[-1]),
    "penalised": lambda x, v: x @ v - (x * x) @ np.full(x.shape[-1], PENALTY),
}
SIZES = [(1.0, 1e-12), (1000.0, 1e-9)]  # of the weights, and the error of a direction
STACKS = [
    Stack(),
    Stack(layers=2),
    Stack(layers=3, residual=False, attention="causal", causal=True),
    Stack(layers=3, heads=2),
    Stack(layers=2, heads=2, residual=False, attention="self"),
    Stack(layers=2, attention="sequence", causal=True),
    Stack(layers=2, parametrisation="KQ", m=3),
    Stack(layers=2, heads=2, normalisation="separate"),
]


def loss_of(problems, stack, nodes, head, values=None):
    """The loss on the tape, for weights by name and place; "head" among them where it is trained."""
    at = {name: Node(x) for name, x in arrays_of(problems, stack, values).items()}
    return stack_loss(TAPE, nodes, at | nodes, stack, ON_THE_TAPE[head])


def directions(loss, weights, together):
    """Minus the gradient of every weight over its norm, or that of all; `weights` nodes by name."""
    found = {name: terms.summed() for name, terms in gradient(loss, weights).items()}
    unit = np.max([x.k.max((1, 2)) for x in found.values()], 0)
    parts = {}
    for name, x in found.items():
        k = x.k - (unit[:, None, None] if together else x.k.max((1, 2), keepdims=True))
        parts[name] = -np.ldexp(x.m, np.maximum(k, -5000).astype(np.int32))
    squares = {name: (x**2).sum((1, 2), keepdims=True) for name, x in parts.items()}
    norms = {name: np.sqrt(sum(squares.values()) if together else squares[name]) for name in parts}
    return {name: x / np.where(norms[name] > 0.0, norms[name], 1.0) for name, x in parts.items()}


def far_apart(a, b):
    """The largest difference, relative to the largest entry of b, instance by instance."""
    axes = tuple(range(1, a.ndim))
    return (np.abs(a - b).max(axes) / np.abs(b).max(axes)).max()


# Without residual, causal and deep in saturation, all rows of the top are equal but for rounding, which differs.
CASES = [(stack, *size) for stack in STACKS for size in SIZES if stack.residual or not stack.causal or size[0] == 1]


@pytest.mark.parametrize(("stack", "size", "close", "head"), [(*c, h) for c, h in zip(CASES, cycle(HEADS))], ids=str)
def test_a_stack_moves_as_in_its_loop(stack, head, size, close):
    problems = draw(HEADS[head].draw, range(2), 2, 3, 4)
    factors = initial(stack, problems.seeds, 4)
    factors = tuple(2 * x * (size if len(factors) == 1 else np.sqrt(size)) for x in factors)
    values = np.random.default_rng(5).normal(size=(2, stack.layers, stack.heads, 4, 4)) / 2
    log = train_stack(problems, stack, HEADS[head].build, exact(1.0), 1, 1, factors, values)
    names = "W" if len(factors) == 1 else "KQ"
    nodes = {place: Node(factor, weight=True) for place, factor in by_names(factors).items()}
    loss = loss_of(problems, stack, nodes, head, values)
    assert np.allclose(log.loss[:, 0], loss.value, rtol=1e-12)
    moves = directions(loss, nodes, together=stack.normalisation == "joint")
    for layer, k in np.ndindex(stack.layers, stack.heads):
        moved = [nodes[f"{name}{layer}{k}"].value + moves[f"{name}{layer}{k}"] for name in names]
        if names == "W":
            change = log.weights[:, 1, layer, k] - log.weights[:, 0, layer, k]
            assert np.abs(change - moves[f"W{layer}{k}"]).max() < close
        else:
            assert far_apart(log.weights[:, 1, layer, k], moved[0] @ moved[1].swapaxes(1, 2)) < close
