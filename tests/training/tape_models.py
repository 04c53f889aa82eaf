"""Models for the tests of the tape, each one function (operations, weights, inputs) → loss of one instance.

The operations are the tape's, PyTorch's (below), or those in multiple precision (slow_reverse.py); W @ x, x + y and
x[...] are common to all three.
"""

from types import SimpleNamespace

import numpy as np
import torch

from attnsvm.training.tape import attention, layers, losses, node
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

MODULES = node, attention, layers, losses
TAPE = SimpleNamespace(**{name: x for module in MODULES for name, x in vars(module).items() if callable(x)})


# ------------------------------------------------------------------------------------------------ the models


def attend(ops, x, w, layer, values, mask=None):
    """Self-attention of all positions, without residual.

    With x + attention and no value matrix two positions that choose each other would become equal.
    """
    return ops.softmax(ops.scores(x, w[f"W{layer}"], x), mask) @ x @ values


def read(ops, x, w, z, at):
    """The logistic loss of the top: cross-attention of the queries z (n, d), read out along v."""
    p = ops.softmax(ops.scores(x, w["W"], z[:, None]))
    return ops.logistic(at["labels"][:, None], p @ x @ at["v"])


def layer(ops, w, at):
    return read(ops, at["tokens"], w, at["queries"], at)


def factors(ops, w, at):
    x, z = at["tokens"], at["queries"]
    p = ops.softmax(ops.scores(x, w["K"] @ w["Q"].T, z[:, None]))
    return ops.logistic(at["labels"][:, None], p @ x @ at["v"])


def apart(ops, w, at):
    """(K, Q) with keys and queries formed."""
    x, z = at["tokens"], at["queries"]
    p = ops.softmax(ops.compare(z[:, None] @ w["Q"], x @ w["K"]))
    return ops.logistic(at["labels"][:, None], p @ x @ at["v"])


def two_layers(ops, w, at):
    x = at["tokens"]
    return read(ops, x + attend(ops, x, w, 1, at["values"]), w, at["queries"], at)


def three_layers(ops, w, at):
    """Residuals, and value matrices: trained in the second layer."""
    x = at["tokens"]
    x = x + attend(ops, x, w, 1, at["values"])
    x = x + attend(ops, x, w, 2, w["V"])
    return read(ops, x, w, at["queries"], at)


def no_residual(ops, w, at):
    """The second layer chooses among mixtures."""
    return read(ops, attend(ops, at["tokens"], w, 1, w["V"]), w, at["queries"], at)


def normalised(ops, w, at):
    x = at["tokens"]
    for k in (1, 2):
        x = ops.layer_norm(x + attend(ops, x, w, k, at["values"]))
    return read(ops, x, w, at["queries"], at)


def root_mean_square(ops, w, at):
    x = at["tokens"]
    x = x + attend(ops, ops.rms_norm(x), w, 1, at["values"])
    return read(ops, ops.rms_norm(x), w, at["queries"], at)


def perceptron(activation):
    def model(ops, w, at):
        x = at["tokens"]
        x = x + attend(ops, x, w, 1, at["values"])
        x = x + getattr(ops, activation)(x @ w["A"] + w["a"]) @ w["B"]
        return read(ops, x, w, at["queries"], at)

    return model


def rotary(ops, w, at):
    x = at["tokens"]
    T = x.shape[-2]
    keys = ops.rotated(x @ w["K"], np.arange(T))
    p = ops.softmax(ops.compare(ops.rotated(x @ w["Q"], np.arange(T)), keys))
    return read(ops, x + p @ x @ at["values"], w, at["queries"], at)


def classes(ops, w, at):
    """Cross-entropy over three classes."""
    x, z = at["tokens"], at["queries"]
    mixture = ops.softmax(ops.scores(x, w["W"], z[:, None])) @ x
    return ops.cross_entropy(at["classes"][:, None], mixture @ w["C"])


def head_too(ops, w, at):
    return read(ops, at["tokens"], w, at["queries"], dict(at, v=w["v"]))


def masked(ops, w, at):
    """Two causal layers; a label for every position."""
    x = at["tokens"]
    T = x.shape[-2]
    mask = np.tri(T, dtype=bool)
    x = x + attend(ops, x, w, 1, at["values"], mask)
    p = ops.softmax(ops.scores(x, w["W"], x), mask)
    return ops.logistic(at["labels"][:, None], p @ x @ at["v"])


def two_heads(ops, w, at):
    """Heads side by side, with one output matrix; then read out."""
    x = at["tokens"]
    sides = [ops.softmax(ops.scores(x, w[f"W{h}"], x)) @ x @ w[f"V{h}"] for h in (1, 2)]
    return read(ops, x + ops.concatenated(sides) @ w["O"], w, at["queries"], at)


def choice(ops, w, at):
    """The logarithm of the probability of the first two tokens."""
    p = ops.softmax(ops.scores(at["tokens"], w["W"], at["queries"][:, None]), temperature=0.5)
    return ops.negative_log(ops.probability(p, np.arange(at["tokens"].shape[-2]) < 2))


def spread(ops, w, at):
    """What the first token has, and the entropy."""
    p = ops.softmax(ops.scores(at["tokens"], w["W"], at["queries"][:, None]))
    return ops.negative_log(ops.probability(p, np.arange(at["tokens"].shape[-2]) < 1)) + ops.mean(ops.entropy(p))


def log_probabilities(ops, w, at):
    """Logarithms of the probabilities of the classes, added up with the tokens as weights."""
    x, z = at["tokens"], at["queries"]
    mixture = ops.softmax(ops.scores(x, w["W"], z[:, None])) @ x
    return ops.mean(ops.log_softmax(mixture @ w["C"]) * x[:, :1, :3])


D, M = 4, 3  # the dimension of the tokens, and a smaller one
MODELS = {  # and the shapes of its weights
    "two layers": (two_layers, {"W1": (D, D), "W": (D, D)}),
    "layer": (layer, {"W": (D, D)}),
    "factors": (factors, {"K": (D, M), "Q": (D, M)}),
    "keys and queries": (apart, {"K": (D, M), "Q": (D, M)}),
    "three layers": (three_layers, {"W1": (D, D), "W2": (D, D), "W": (D, D), "V": (D, D)}),
    "no residual": (no_residual, {"W1": (D, D), "W": (D, D), "V": (D, D)}),
    "layer norm": (normalised, {"W1": (D, D), "W2": (D, D), "W": (D, D)}),
    "RMS norm": (root_mean_square, {"W1": (D, D), "W": (D, D)}),
    "ReLU": (perceptron("relu"), {"W1": (D, D), "W": (D, D), "A": (D, 5), "a": (5,), "B": (5, D)}),
    "tanh": (perceptron("tanh"), {"W1": (D, D), "W": (D, D), "A": (D, 5), "a": (5,), "B": (5, D)}),
    "rotary": (rotary, {"K": (D, D), "Q": (D, D), "W": (D, D)}),
    "classes": (classes, {"W": (D, D), "C": (D, 3)}),
    "head": (head_too, {"W": (D, D), "v": (D,)}),
    "causal": (masked, {"W1": (D, D), "W": (D, D)}),
    "two heads": (two_heads, {"W1": (D, D), "W2": (D, D), "V1": (D, 2), "V2": (D, 2), "O": (4, D), "W": (D, D)}),
    "choice": (choice, {"W": (D, D)}),
    "spread": (spread, {"W": (D, D)}),
    "log-softmax": (log_probabilities, {"W": (D, D), "C": (D, 3)}),
}
ATTENDING = "W", "W1", "W2", "K", "C"  # what is multiplied to widen the margins


def drawn(name, S=2, n=2, T=3, size=1.0, seed=0):
    """The model, its weights and its inputs, for S instances; logits of about `size`."""
    model, shapes = MODELS[name]
    r = np.random.default_rng(seed)
    weights = {key: r.normal(size=(S, *shape)) / np.sqrt(shape[0]) for key, shape in shapes.items()}
    for key in ATTENDING:
        if key in weights:
            weights[key] *= size
    inputs = {"tokens": r.normal(size=(S, n, T, D)), "queries": r.normal(size=(S, n, D)), "v": r.normal(size=(S, D))}
    inputs |= {"labels": np.sign(r.normal(size=(S, n))), "classes": r.integers(0, 3, size=(S, n)).astype(float)}
    return model, weights, inputs | {"values": r.normal(size=(S, D, D)) / np.sqrt(D)}


# ------------------------------------------------------------------------------------------------ their gradients


def tape_loss(model, weights, inputs):
    """The loss, and the nodes of the weights."""
    nodes = {name: Node(w, weight=True) for name, w in weights.items()}
    return model(TAPE, nodes, {name: Node(x) for name, x in inputs.items()}), nodes


def tape_gradient(model, weights, inputs):
    """`Terms` of every weight."""
    loss, nodes = tape_loss(model, weights, inputs)
    return gradient(loss, nodes)


def summed(terms, weight):
    """The gradient of the weights (S, ...) as m and k of their shape."""
    found = terms.summed()
    return found.m.reshape(weight.shape), np.broadcast_to(found.k, found.m.shape).reshape(weight.shape)


class Torch:
    """The operations of the tape in PyTorch."""

    relu, tanh = torch.relu, torch.tanh
    straight_through = staticmethod(lambda p: torch.nn.functional.one_hot(p.argmax(-1), p.shape[-1]) + p - p.detach())
    entropy = staticmethod(lambda p: -(p * torch.where(p > 0, p, 1.0).log()).sum(-1))
    reshaped = staticmethod(lambda a, *shape: a.reshape(shape))
    mean = torch.mean
    concatenated = staticmethod(lambda parts, axis=-1: torch.cat(parts, axis))
    compare = staticmethod(lambda queries, keys: queries @ keys.mT)
    scores = staticmethod(lambda tokens, W, queries: queries @ W.mT @ tokens.mT)
    probability = staticmethod(lambda p, where: (p * torch.as_tensor(where)).sum(-1))
    layer_norm = staticmethod(lambda a, eps=1e-5: torch.nn.functional.layer_norm(a, a.shape[-1:], eps=eps))
    rms_norm = staticmethod(lambda a, eps=1e-5: torch.nn.functional.rms_norm(a, a.shape[-1:], eps=eps))
    logistic = staticmethod(lambda labels, outputs: torch.nn.functional.softplus(-labels * outputs).mean())
    squared = staticmethod(lambda targets, outputs: ((outputs - targets) ** 2).mean())
    negative_log = staticmethod(lambda u: -u.log().mean())
    weighted = staticmethod(lambda loss, logs: loss * np.exp(logs))

    @staticmethod
    def softmax(logits, mask=None, temperature=1.0):
        logits = logits if mask is None else logits.masked_fill(~torch.as_tensor(mask), -torch.inf)
        return torch.softmax(logits / temperature, -1)

    @staticmethod
    def log_softmax(logits, mask=None):
        inside = torch.ones_like(logits, dtype=torch.bool) if mask is None else torch.as_tensor(mask)
        found = torch.log_softmax(logits.masked_fill(~inside, -torch.inf), -1)
        return torch.where(inside, found, 0.0)

    @staticmethod
    def cross_entropy(targets, logits):
        targets = torch.broadcast_to(torch.as_tensor(targets), logits.shape[:-1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, -2), targets.flatten().long())

    @staticmethod
    def rotated(a, positions, base=1e4):
        """As complex numbers."""
        half = a.shape[-1] // 2
        angle = torch.as_tensor(positions, dtype=torch.float64)[:, None] * base ** (
            -torch.arange(half, dtype=torch.float64) / half
        )
        turned = torch.complex(a[..., :half], a[..., half:]) * torch.exp(1j * angle)
        return torch.cat([turned.real, turned.imag], -1)
