"""Stacks against autograd, against multiple precision, against the engine of one layer, and against themselves."""

from dataclasses import replace
from functools import partial
from itertools import product

import mpmath as mp
import numpy as np
import pytest
import torch
from stack_references import mp_gradient, torch_losses

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.multi_token.problems import relu
from attnsvm.lanes.arithmetic import LANES
from attnsvm.training import LinearHead, PenalisedHead, ReluHead, exact, plain, train
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial

HEADS = {
    "linear": (gaussian, LinearHead, lambda x, v: x @ v),
    "relu": (relu, ReluHead, lambda x, V: torch.relu(x @ V).sum()),
    "penalised": (gaussian, lambda v: PenalisedHead(v, 0.3), lambda x, v: x @ v - 0.3 * x @ x),
}
STACKS = [
    Stack(layers=3, heads=2),
    Stack(layers=2, heads=2, residual=False, attention="self"),
    Stack(layers=2, heads=1, attention="sequence", causal=True),
    Stack(layers=3, heads=1, residual=False, attention="causal", causal=True),
    Stack(layers=1, heads=3, attention="causal"),
    Stack(layers=2, heads=2, attention="self", parametrisation="KQ", m=3),
]


def drawn(head="linear", S=2, n=2, T=3, d=4):
    return draw(HEADS[head][0], range(S), n, T, d)


def some_values(stack, S, d, seed=5):
    return np.random.default_rng(seed).normal(size=(S, stack.layers, stack.heads, d, d)) / np.sqrt(d)


def gradients(problems, stack, head, start, values):
    """Autograd's gradient of the loss with respect to W, or K and Q, and the loss."""
    found, losses = [], []
    for s in range(len(problems)):
        factors = [torch.tensor(2 * x[s], requires_grad=True) for x in start]
        W = factors[0] if len(factors) == 1 else factors[0] @ factors[1].mT
        given = [torch.from_numpy(x[s]) for x in (problems.tokens, problems.queries, problems.labels, values)]
        weights = torch.from_numpy(problems.head[s])
        loss = torch_losses(*given[:3], W, given[3], lambda x, w=weights: HEADS[head][2](x, w), stack)
        loss.backward()
        found.append([x.grad.numpy() for x in factors])
        losses.append(float(loss.detach()))
    return [np.stack(x) for x in zip(*found, strict=True)], np.array(losses)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_one_step_is_along_autograd(stack, head):
    problems = drawn(head)
    start = initial(stack, problems.seeds, 4)
    values = some_values(stack, len(problems), 4)
    ours = train_stack(problems, stack, HEADS[head][1], plain(1.0), 1, 1, tuple(2 * x for x in start), values)
    theirs, losses = gradients(problems, stack, head, start, values)
    if stack.parametrisation == "W":
        change = ours.weights[:, 0] - ours.weights[:, 1]
        # A difference of weights of order one has an error of 1e-16; so have the terms of the gradient.
        assert np.allclose(change, theirs[0], rtol=1e-10, atol=5e-15)
    else:
        K, Q = (2 * x - g for x, g in zip(start, theirs, strict=True))
        assert np.allclose(ours.weights[:, 1], K @ Q.swapaxes(-1, -2), rtol=1e-12, atol=5e-15)
    assert np.allclose(ours.loss[:, 0], losses, rtol=1e-13)
    size = np.sqrt(sum((g**2).reshape(len(problems), -1).sum(1) for g in theirs))
    assert np.allclose(ours.gradient_norm[:, 0], size, rtol=1e-10)


@pytest.mark.parametrize(("kind", "normalisation"), list(product(("W", "KQ"), ("joint", "separate"))))
def test_which_norm_divides_the_step(kind, normalisation):
    stack = Stack(layers=2, heads=2, parametrisation=kind, normalisation=normalisation)
    problems = drawn()
    start = initial(stack, problems.seeds, 4)
    eyes = np.broadcast_to(np.eye(4), (2, 2, 2, 4, 4)).copy()
    theirs, _ = gradients(problems, stack, "linear", start, eyes)
    ours = train_stack(problems, stack, LinearHead, exact(0.5), 1, 1, tuple(2 * x for x in start))
    norms = [(g**2).sum((-2, -1), keepdims=True) for g in theirs]
    if normalisation == "joint":
        norms = [sum(x.sum((1, 2), keepdims=True) for x in norms)] * len(theirs)
    moved = [2 * x - 0.5 * g / np.sqrt(N) for x, g, N in zip(start, theirs, norms, strict=True)]
    W = moved[0] if kind == "W" else moved[0] @ moved[1].swapaxes(-1, -2)
    assert np.allclose(ours.weights[:, 1], W, rtol=1e-10, atol=1e-13)


def test_the_head_vector_moves_along_its_own_gradient():
    stack, problems = Stack(layers=2), drawn()
    ours = train_stack(problems, stack, LinearHead, exact(0.1), 1, 1, head_rate=0.3)
    for s in range(len(problems)):
        v = torch.tensor(problems.head[s], requires_grad=True)
        X, Z, Y = (torch.from_numpy(x[s]) for x in (problems.tokens, problems.queries, problems.labels))
        W, V = torch.from_numpy(ours.weights[s, 0]), torch.eye(4, dtype=torch.float64).expand(2, 1, 4, 4)
        torch_losses(X, Z, Y, W, V, lambda x, v=v: x @ v, stack).backward()
        step = 0.3 * v.grad / v.grad.norm()
        assert np.allclose(ours.head[s, 1], problems.head[s] - step.numpy(), rtol=0, atol=1e-14)


@pytest.mark.parametrize(("layers", "residual", "seed"), [(2, True, 5), (2, False, 4), (3, True, 5)])
def test_the_direction_deep_in_saturation(layers, residual, seed):
    """Trained until the gradient is far below 1e-308; without the residual, rows of the top are equal by then."""
    stack = Stack(layers=layers, residual=residual)
    problems, rate = draw(gaussian, [seed], 2, 3, 3), 3.5
    ours = train_stack(problems, stack, LinearHead, exact(rate), 1000, np.array([999, 1000]))
    given = (x[0].tolist() for x in (problems.tokens, problems.queries, problems.labels))
    head = partial(mp.fdot, problems.head[0].tolist())
    theirs = mp_gradient(*given, head, ours.weights[0, 0, :, 0], residual, digits=2000)
    flat = [x for layer in theirs for row in layer for x in row]
    norm = mp.sqrt(sum(x * x for x in flat))
    assert 350 < -mp.log(norm) < 2000  # differences of 10^−1000 would count at exp(−2300)
    assert -mp.log(norm) > 1000 or not residual
    direction = np.array([[[float(x / norm) for x in row] for row in layer] for layer in theirs])
    change = (ours.weights[0, 0, :, 0] - ours.weights[0, 1, :, 0]) / rate
    # Logits of 1e3 are known to 1e-12, and the terms of the gradient with that relative error.
    assert np.allclose(change, direction, rtol=0, atol=1e-9)


def test_one_layer_and_one_head_are_the_engine_of_one_layer():
    problems = draw(gaussian, range(6), 3, 5, 6)
    for attention in ("cross", "self", "sequence", "causal"):
        stack = Stack(attention=attention)
        W = initial(stack, problems.seeds, 6)[0]
        ours = train_stack(problems, stack, LinearHead, exact(0.1), 3000, 500, (W,))
        theirs = train(problems, LinearHead, "W", exact(0.1), 3000, 500, start=W[:, 0, 0], attention=attention)
        lengths = np.linalg.norm(theirs.weights, axis=(2, 3), keepdims=True)
        assert np.abs(ours.weights[:, :, 0, 0] - theirs.weights).max() / lengths.max() < 1e-12
        assert np.allclose(ours.top[:, 0].reshape(theirs.probabilities.shape), theirs.probabilities, atol=1e-9)
        assert np.allclose(ours.loss, theirs.loss, rtol=1e-10)
        assert np.allclose(ours.largest[:, :, 0], theirs.largest, atol=1e-9)


def test_a_batch_cut_anywhere_is_the_same_to_the_byte():
    problems = draw(gaussian, range(LANES + 3), 2, 3, 4)
    stack = Stack(layers=2, heads=2)
    arguments = stack, LinearHead, exact(0.1), 300, 100
    whole = train_stack(problems, *arguments)
    for part in (slice(0, 1), slice(5, 9), slice(LANES - 1, LANES + 3)):
        cut = train_stack(problems[part], *arguments)
        for name, array in vars(whole[part]).items():
            assert np.array_equal(getattr(cut, name), array), name


def test_two_equal_heads_are_one_with_twice_the_values():
    """Both heads start at the same W with the values I/2 each: they stay equal, and give what one head gives."""
    problems = drawn(S=3)
    one = Stack(layers=2, normalisation="separate")
    W = initial(one, problems.seeds, 4)[0]
    log = train_stack(problems, one, LinearHead, exact(0.1), 200, 50, (W,))
    both = np.repeat(W, 2, axis=2)
    halves = np.broadcast_to(np.eye(4) / 2, (3, 2, 2, 4, 4))
    pair = train_stack(problems, replace(one, heads=2), LinearHead, exact(0.1), 200, 50, (both,), halves)
    assert np.array_equal(pair.weights[:, :, :, 0], pair.weights[:, :, :, 1])
    assert np.allclose(pair.weights[:, :, :, 0], log.weights[:, :, :, 0], rtol=1e-9, atol=1e-9)
    assert np.allclose(pair.tokens, log.tokens, atol=1e-9)


def test_the_bottom_of_a_start_does_not_depend_on_what_is_above():
    seeds = np.arange(3)
    low, high = (initial(Stack(layers=k, heads=2), seeds, 5)[0] for k in (2, 4))
    assert np.array_equal(high[:, :2], low)


def test_composed_tokens_are_what_the_softmax_composes():
    problems = drawn(S=3)
    log = train_stack(problems, Stack(layers=3), LinearHead, exact(0.1), 100, 100)
    for layer in range(2):
        composed = log.tokens[:, layer] + log.below[:, layer, 0] @ log.tokens[:, layer]
        assert np.allclose(log.tokens[:, layer + 1], composed, rtol=1e-12, atol=1e-12)
    f = np.einsum("snt,sntd,sd->sn", log.top[:, 0, :, 0], log.tokens[:, -1], problems.head)
    assert np.allclose(log.outputs[:, :, 0], f, atol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"attention": "none"}, "attention"),
        ({"normalisation": "no"}, "normalisation"),
        ({"parametrisation": "V"}, "parametrisation"),
        ({"layers": 0}, "layers"),
        ({"heads": 0}, "heads"),
    ],
)
def test_a_wrong_architecture_is_named(wrong, word):
    with pytest.raises(ValueError, match=f"^{word}: expected"):
        Stack(**wrong)


def test_what_a_stack_does_not_take():
    problems = drawn()
    padded = replace(problems, lengths=np.full((2, 2), 3))
    with pytest.raises(ValueError, match="without padding"):
        train_stack(padded, Stack(), LinearHead, exact(0.1), 1, 1)
    with pytest.raises(ValueError, match="head_rate"):
        train_stack(drawn("relu"), Stack(), ReluHead, exact(0.1), 1, 1, head_rate=0.1)
    penalised = exact(0.1)._replace(penalty=1.0)
    with pytest.raises(ValueError, match="without penalty"):
        train_stack(problems, Stack(parametrisation="KQ"), LinearHead, penalised, 1, 1)
