"""Every operation of the tape against PyTorch's autograd, before saturation."""

import inspect

import numpy as np
import pytest
import torch
from tape_models import MODULES, TAPE, Torch, summed

from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

S = 3
INSIDE = np.array([[True, False, True, True], [False, True, True, False], [True] * 4])
SMOOTH = np.array([0.3, -0.2, 0.5])


# Of each operation: functions, and the shapes of their arguments: lists for weights, tuples for what is made of them.
CASES = {
    "matmul": [
        (lambda ops, a, b: a @ b, (3, 4), (4, 2)),
        (lambda ops, a, b: a @ b, (2, 3, 4), (4, 2)),
        (lambda ops, a, b: a @ b, (2, 3, 4), (2, 4, 2)),
        (lambda ops, a, b: a @ b, (2, 1, 3, 4), (5, 4, 2)),
        (lambda ops, a, b: a @ b, (3, 4), (2, 4, 2)),
        (lambda ops, a, b: a @ b, (2, 3, 4), [4, 2]),
        (lambda ops, a, b: a @ b, [3, 4], (4, 2)),
        (lambda ops, a, b: a @ b, [3, 4], (2, 4, 2)),
        (lambda ops, a, b: a @ b, [3, 4], [4, 2]),
        (lambda ops, a, b: a @ b.T, [3, 4], [2, 4]),
        (lambda ops, a, b, c: c @ (b @ a.T * 2.0 @ a).T, [3, 4], [2, 4], (2, 5, 4)),
        (lambda ops, c, a, b: c @ (a @ b), (2, 4), [4, 3], [3, 5]),
        (lambda ops, a, b: a @ b + a @ a @ b, [4, 4], (4,)),
        (lambda ops, a, b: a @ b, (4,), (4, 2)),
        (lambda ops, a, b: a @ b, (4,), (3, 4, 2)),
        (lambda ops, a, b: a @ b, (4,), [4, 2]),
        (lambda ops, a, b: a @ b, [4], [4, 2]),
        (lambda ops, a, b: a @ b, (2, 3, 4), (4,)),
        (lambda ops, a, b: a @ b, (2, 3, 4), [4]),
        (lambda ops, a, b: a @ b, [3, 4], [4]),
        (lambda ops, a, b: a @ b, (4,), (4,)),
        (lambda ops, a, b: a @ b, [4], [4]),
        (lambda ops, a, b: ops.softmax(a) @ b, (2, 3, 4), (2, 4, 5)),
        (lambda ops, a, b: ops.softmax(a) @ b, (2, 3, 4), (4, 5)),
        (lambda ops, a, b: ops.softmax(a) @ b, (2, 3, 4), (4,)),
        (lambda ops, a, b: ops.softmax(a) @ b, (2, 3, 4), [4]),
        (lambda ops, a, b: ops.softmax(a) @ b, (2, 3, 4), [4, 2]),
        (lambda ops, a, b: ops.softmax(a)[..., 0, :] @ b, (3, 4), (4, 2)),
        (lambda ops, a, b: ops.softmax(a)[1:, ..., 1:] @ b, (2, 3, 4), (3, 2)),
        (lambda ops, a, b: b @ ops.softmax(a), (4,), (5, 4)),
    ],
    "transposed": [
        (lambda ops, a, b: a.T @ b, (3, 4), (3, 2)),
        (lambda ops, a, b: a.T @ b, [3, 4], (3, 2)),
        (lambda ops, a, b: b @ a.T @ a, [3, 4], (2, 4)),
        (lambda ops, a, b: b.T @ ops.softmax(a).T, (3, 4), (4, 2)),
    ],
    "add": [
        (lambda ops, a, b: a + b, (2, 3, 4), (2, 3, 4)),
        (lambda ops, a, b: a + b, (2, 3, 4), [4]),
        (lambda ops, a, b: a + b, (3, 1), (2, 1, 4)),
        (lambda ops, a, b: a + b, (2, 3), []),
        (lambda ops, a, b: a - b, [2, 3], (3,)),
        (lambda ops, a: 1.0 - a + 2.0, [2, 3]),
    ],
    "multiply": [
        (lambda ops, a, b: a * b, (2, 3, 4), (2, 3, 4)),
        (lambda ops, a, b: a * b, (2, 3, 4), [4]),
        (lambda ops, a, b: a * b, (3, 1), (2, 1, 4)),
        (lambda ops, a, b: a * b, (2, 3), []),
        (lambda ops, a, b: a * b * a, [2, 3], [3]),
        (lambda ops, a, b: a * (-b), [], []),
    ],
    "scale": [(lambda ops, a: 2.5 * a / 3.0, (2, 3)), (lambda ops, a, b: b @ (a * 2.5), [4, 3], (2, 4))],
    "mapped": [],  # what relu and tanh are made of
    "take": [
        (lambda ops, a: a[0], (2, 3)),
        (lambda ops, a: a[:, None, 1:], (2, 3)),
        (lambda ops, a: a[..., 2], (2, 4, 3)),
        (lambda ops, a: a[:, ::-1] if ops is TAPE else a.flip(1), (2, 3)),
        (lambda ops, a, b: b @ a[1:], [4, 2], (2, 3)),
    ],
    "reshaped": [
        (lambda ops, a: ops.reshaped(a, 6), (2, 3)),
        (lambda ops, a, b: ops.reshaped(a @ b, 2, 3, 2), (6, 4), [4, 2]),
        (lambda ops, a, b: ops.reshaped(a @ b, 4, 3), (6, 4), [4, 2]),
        (lambda ops, a, b: ops.reshaped(ops.softmax(a), 6, 4) @ b, (2, 3, 4), (4, 2)),
    ],
    "concatenated": [
        (lambda ops, a, b: ops.concatenated([a, b]), (2, 3), (2, 4)),
        (lambda ops, a, b: ops.concatenated([a, b, a], -2), (2, 3), (4, 3)),
        (lambda ops, a, b, c: ops.concatenated([a, b]) @ c, (2, 3), (2, 1), [4, 2]),
        (lambda ops, a, b, c: ops.concatenated([a, b], -2) @ c, (2, 3), (1, 3), [3, 2]),
    ],
    "mean": [(lambda ops, a: ops.mean(a), (2, 3)), (lambda ops, a: ops.mean(a), [4])],
    "relu": [(lambda ops, a: ops.relu(a), (2, 3))],
    "tanh": [(lambda ops, a: ops.tanh(a * 3.0), (2, 3))],
    "layer_norm": [(lambda ops, a: ops.layer_norm(a), (2, 3, 4)), (lambda ops, a: ops.layer_norm(a, 0.1), (5,))],
    "rms_norm": [(lambda ops, a: ops.rms_norm(a), (2, 3, 4)), (lambda ops, a: ops.rms_norm(a, 0.1), (5,))],
    "rotated": [
        (lambda ops, a: ops.rotated(a, np.arange(3)), (2, 3, 4)),
        (lambda ops, a: ops.rotated(a, np.array([0.0, 2.5, 7.0]), 50.0), (3, 6)),
    ],
    "compare": [
        (lambda ops, a, b: ops.compare(a, b), (2, 3, 4), (2, 5, 4)),
        (lambda ops, a, b: ops.softmax(ops.compare(a, b)), (2, 3, 4), (5, 4)),
        (lambda ops, a, b: ops.softmax(ops.compare(a, b)), (3, 4), (2, 5, 4)),
    ],
    "scores": [
        (lambda ops, x, W, z: ops.softmax(ops.scores(x, W, z)), (2, 5, 4), [4, 3], (2, 1, 3)),
        (lambda ops, x, W: ops.softmax(ops.scores(x, W, x)), (2, 5, 4), [4, 4]),
        (lambda ops, x, K, Q: ops.softmax(ops.scores(x, K @ Q.T, x)), (5, 4), [4, 2], [4, 2]),
    ],
    "softmax": [
        (lambda ops, a: ops.softmax(a), (2, 3, 4)),
        (lambda ops, a: ops.softmax(a, temperature=0.3), (3, 4)),
        (lambda ops, a: ops.softmax(a, INSIDE), (2, 3, 4)),
        (lambda ops, a: ops.softmax(a, INSIDE[0], 2.0), (2, 3, 4)),
        (lambda ops, a: ops.softmax(a), (4,)),
        (lambda ops, a: ops.softmax(a) * ops.softmax(a), (3, 4)),
    ],
    "straight_through": [
        (lambda ops, a: ops.straight_through(ops.softmax(a)), (2, 3, 4)),
        (lambda ops, a, b: ops.straight_through(ops.softmax(a)) @ b, (2, 3, 4), (4, 5)),
    ],
    "log_softmax": [
        (lambda ops, a: ops.log_softmax(a), (2, 3, 4)),
        (lambda ops, a: ops.log_softmax(a, INSIDE), (3, 4)),
    ],
    "probability": [(lambda ops, a: ops.probability(ops.softmax(a), INSIDE), (3, 4))],
    "entropy": [
        (lambda ops, a: ops.entropy(ops.softmax(a)), (2, 3, 4)),
        (lambda ops, a: ops.entropy(ops.softmax(a, INSIDE)), (3, 4)),
    ],
    "logistic": [
        (lambda ops, f: ops.logistic(SMOOTH if ops is TAPE else torch.as_tensor(SMOOTH), f), (2, 3)),
        (lambda ops, f: ops.logistic(-1.0, f), ()),
    ],
    "squared": [
        (lambda ops, f: ops.squared(SMOOTH if ops is TAPE else torch.as_tensor(SMOOTH), f), (2, 3)),
        (lambda ops, f: ops.squared(0.5, f), [3]),
    ],
    "cross_entropy": [
        (lambda ops, a: ops.cross_entropy(np.array([2, 0, 1]), a), (2, 3, 4)),
        (lambda ops, x, C: ops.cross_entropy(np.array([2, 0, 1]), x @ C), (3, 4), [4, 5]),
    ],
    "negative_log": [
        (lambda ops, a: ops.negative_log(ops.probability(ops.softmax(a), INSIDE)), (3, 4)),
        (lambda ops, a: ops.negative_log(ops.softmax(a)), (3, 4)),
        (lambda ops, a: ops.negative_log(ops.softmax(a)[..., 0]), (3, 4)),
        (lambda ops, a: ops.negative_log(ops.reshaped(ops.probability(ops.softmax(a), INSIDE)[1:], 2, 1)), (3, 4)),
    ],
    "weighted": [(lambda ops, a: ops.weighted(ops.mean(a), np.full(S, -1.5) if ops is TAPE else -1.5), (3, 4))],
}
HELPERS = {"in_front", "unbroadcast", "filled", "logarithms"}  # of arrays and adjoints


def test_no_operation_is_left_out():
    """A new one without a case fails here."""
    public = {
        name
        for module in MODULES
        for name, x in vars(module).items()
        if inspect.isfunction(x) and x.__module__ == module.__name__ and not name.startswith("_")
    }
    assert public == set(CASES) | HELPERS
    assert all(inspect.signature(getattr(TAPE, name)).return_annotation is Node for name in CASES)


def made(ops, leaf, shape):
    return leaf if isinstance(shape, list) else ops.reshaped(leaf, *shape)


def by_tape(function, shapes, leaves, constant):
    nodes = {name: Node(x, weight=True) for name, x in leaves.items()}
    out = function(TAPE, *(made(TAPE, node, shape) for node, shape in zip(nodes.values(), shapes, strict=True)))
    loss = TAPE.mean(out * Node(constant(out.shape)))
    found = gradient(loss, nodes)
    return loss.value, {name: summed(found[name], x) for name, x in leaves.items()}


def by_torch(function, shapes, leaves, constant):
    tensors = {name: torch.tensor(x, requires_grad=True) for name, x in leaves.items()}
    out = function(Torch, *(made(Torch, x, shape) for x, shape in zip(tensors.values(), shapes, strict=True)))
    loss = (out * constant(tuple(out.shape))).mean()
    loss.backward()
    return loss.item(), {name: x.grad.numpy() for name, x in tensors.items()}


@pytest.mark.parametrize(
    ("function", "shapes"), [pytest.param(case[0], case[1:], id=name) for name in CASES for case in CASES[name]]
)
def test_the_derivative_is_that_of_autograd(function, shapes):
    # What is made of weights starts from a vector: its adjoint passes through what makes it.
    sizes = [tuple(shape) if isinstance(shape, list) else (int(np.prod(shape)),) for shape in shapes]
    r = np.random.default_rng(0)
    leaves = {str(k): r.normal(size=(S, *size)) for k, size in enumerate(sizes)}

    def constant(shape):
        return np.random.default_rng(1).normal(size=(S, *shape))

    losses, ours = by_tape(function, shapes, leaves, constant)
    for s in range(S):
        one = {name: x[s] for name, x in leaves.items()}
        loss, theirs = by_torch(function, shapes, one, lambda shape, s=s: torch.tensor(constant(shape)[s]))
        assert losses[s] == pytest.approx(loss, rel=1e-13)
        for name, exact in theirs.items():
            m, k = ours[name]
            found = np.ldexp(m[s], k[s].astype(np.int32))
            # 1e-13: sums of some ten products of order one
            assert np.abs(found - exact).max() <= 1e-13 * np.abs(exact).max()
