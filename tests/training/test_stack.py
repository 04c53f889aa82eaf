"""Stacks against autograd, against multiple precision, against the engine of one layer, and against themselves."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from mpmath import mp
from stack_references import slow_gradients, torch_gradients
from training_references import HEADS, assert_cut_anywhere

from attnsvm.batch import LANES
from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, ReluHead, exact, plain, train
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial

STACKS = [
    Stack(layers=3, heads=2),
    Stack(layers=2, heads=2, residual=False, attention="self"),
    Stack(layers=2, heads=1, attention="sequence", causal=True),
    Stack(layers=3, heads=1, residual=False, attention="causal", causal=True),
    Stack(layers=1, heads=3, attention="causal"),
    Stack(layers=2, heads=2, attention="self", parametrisation="KQ", m=3),
]


def drawn(head="linear", S=2, n=2, T=3, d=4):
    return draw(HEADS[head].draw, range(S), n, T, d)


def some_values(stack, S, d, seed=5):
    return np.random.default_rng(seed).normal(size=(S, stack.layers, stack.heads, d, d)) / np.sqrt(d)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_one_step_is_along_autograd(stack, head):
    problems = drawn(head)
    start = tuple(2 * x for x in initial(stack, problems.seeds, 4))
    values = some_values(stack, len(problems), 4)
    ours = train_stack(problems, stack, HEADS[head].build, plain(1.0), 1, 1, start, values)
    theirs, _, losses = torch_gradients(problems, stack, start, HEADS[head].h, values)
    if stack.parametrisation == "W":
        change = ours.weights[:, 0] - ours.weights[:, 1]
        # A difference of weights of order one has an error of 1e-16; so have the terms of the gradient.
        assert np.allclose(change, theirs[0], rtol=1e-10, atol=5e-15)
    else:
        K, Q = (x - g for x, g in zip(start, theirs, strict=True))
        assert np.allclose(ours.weights[:, 1], K @ Q.swapaxes(-1, -2), rtol=1e-12, atol=5e-15)
    assert np.allclose(ours.loss[:, 0], losses, rtol=1e-13)
    size = np.sqrt(sum((g**2).reshape(len(problems), -1).sum(1) for g in theirs))
    assert np.allclose(ours.gradient_norm[:, 0], size, rtol=1e-10)


@pytest.mark.parametrize(("kind", "normalisation"), list(product(("W", "KQ"), ("joint", "separate"))))
def test_which_norm_divides_the_step(kind, normalisation):
    stack = Stack(layers=2, heads=2, parametrisation=kind, normalisation=normalisation)
    problems = drawn()
    start = tuple(2 * x for x in initial(stack, problems.seeds, 4))
    theirs, *_ = torch_gradients(problems, stack, start, HEADS["linear"].h)
    ours = train_stack(problems, stack, LinearHead, exact(0.5), 1, 1, start)
    norms = [(g**2).sum((-2, -1), keepdims=True) for g in theirs]
    if normalisation == "joint":
        norms = [sum(x.sum((1, 2), keepdims=True) for x in norms)] * len(theirs)
    moved = [x - 0.5 * g / np.sqrt(N) for x, g, N in zip(start, theirs, norms, strict=True)]
    W = moved[0] if kind == "W" else moved[0] @ moved[1].swapaxes(-1, -2)
    assert np.allclose(ours.weights[:, 1], W, rtol=1e-10, atol=1e-13)


def test_the_head_vector_moves_along_its_own_gradient():
    stack, problems = Stack(layers=2), drawn()
    ours = train_stack(problems, stack, LinearHead, exact(0.1), 1, 1, head_rate=0.3)
    _, slope, _ = torch_gradients(problems, stack, [ours.weights[:, 0]], HEADS["linear"].h)
    step = 0.3 * slope / np.linalg.norm(slope, axis=1, keepdims=True)
    assert np.allclose(ours.head[:, 1], problems.head - step, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("layers", "residual", "seed"), [(2, True, 5), (2, False, 4), (3, True, 5)])
def test_the_direction_deep_in_saturation(layers, residual, seed):
    """Trained until the gradient is far below 1e-308; without the residual, rows of the top are equal by then."""
    stack = Stack(layers=layers, residual=residual)
    problems, rate = draw(gaussian, [seed], 2, 3, 3), 3.5
    ours = train_stack(problems, stack, LinearHead, exact(rate), 1000, np.array([999, 1000]))
    theirs = slow_gradients(problems, stack, ours.weights[0, 0, :, 0])
    norm = mp.sqrt((theirs * theirs).sum())
    assert -mp.log(norm) > (1000 if residual else 350)
    direction = (theirs / norm).astype(float)
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
    parts = slice(0, 1), slice(5, 9), slice(LANES - 1, LANES + 3)
    assert_cut_anywhere(lambda some: train_stack(some, stack, LinearHead, exact(0.1), 300, 100), problems, parts)


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
