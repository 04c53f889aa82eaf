"""A head of one's own, one class and its compiled half: in a layer and in a stack, as any other head."""

from functools import partial
from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest
import torch
from stack_references import mp_gradient, torch_losses

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.multi_token.problems import relu
from attnsvm.lanes.arithmetic import LANES
from attnsvm.training import compiled, dense, exact, plain, train
from attnsvm.training.heads.base import Head
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial
from attnsvm.training.start import factored_weights, full_weights

P = 3  # what the head sees of a token, of d = 4 components


class Bounded(NamedTuple):
    a: np.ndarray

    def readout(self, mixed, h, slope):
        a = self.a
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                u = mixed[j, lane]
                root = np.sqrt(1 + u * u)
                h[lane] += a[j, lane] * u / root
                slope[j, lane] = a[j, lane] / (root * root * root)

    def parameters(self):
        return self.a

    def parameter_slope(self, mixed, slope):
        for j in range(len(mixed)):
            for lane in range(LANES):
                slope[j, lane] = mixed[j, lane] / np.sqrt(1 + mixed[j, lane] * mixed[j, lane])


class BoundedHead(Head):
    """h(x) = Σ_j a_j u_j/√(1 + u_j²), u = Eᵀx; of the weights V (S, d, d), E is P columns and a is of the last."""

    def __init__(self, V):
        self.embedding, self.a = V[:, :, :P], V[:, :P, -1].T

    def readout(self, mixed):
        square = 1 + mixed * mixed
        return (self.a * mixed / square**0.5).sum(1), self.a / square**1.5

    def compiled(self):
        return Bounded(self.a)


class Fixed(NamedTuple):
    """A readout alone: it cannot be trained along."""

    def readout(self, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = mixed[0, lane]
            slope[:, lane] = 0.0
            slope[0, lane] = 1.0


class FirstHead(Head):
    """h(x) = x_1, of no weights."""

    def __init__(self, given):
        pass

    def readout(self, mixed):
        raise NotImplementedError

    def compiled(self):
        return Fixed()


def h(V, x):
    """The definition, of one instance, in torch."""
    u = x @ V[:, :P]
    return (V[:P, -1] * u / torch.sqrt(1 + u**2)).sum()


def mp_h(V, x):
    """And in multiple precision."""
    u = [mp.fdot(column, x) for column in V[:, :P].T.tolist()]
    return mp.fsum(a * b / mp.sqrt(1 + b * b) for a, b in zip(V[:P, -1].tolist(), u, strict=True))


def problems(S=2, n=2, T=3, seed=0):
    return draw(relu, range(seed, seed + S), n, T, 4)


def tensors(p, s):
    return [torch.from_numpy(x[s]) for x in (p.tokens, p.queries, p.labels)]


def gradients(p, stack, factors, values):
    """Autograd's gradient with respect to W, or K and Q, each (S, L, H, d, d or m)."""
    found = []
    for s in range(len(p)):
        own = [torch.tensor(x[s], requires_grad=True) for x in factors]
        W = own[0] if len(own) == 1 else own[0] @ own[1].mT
        head = partial(h, torch.from_numpy(p.head[s]))
        torch_losses(*tensors(p, s), W, torch.from_numpy(values[s]), head, stack).backward()
        found.append([x.grad.numpy() for x in own])
    return [np.stack(x) for x in zip(*found, strict=True)]


def eyes(p, stack):
    return np.broadcast_to(np.eye(4), (len(p), stack.layers, stack.heads, 4, 4)).copy()


@pytest.mark.parametrize("attention", ["cross", "self", "sequence", "causal"])
def test_a_step_of_a_layer_is_the_gradient_of_autograd(attention):
    p, stack = problems(), Stack(attention=attention)
    W = full_weights(p.seeds, 4, "uniform")[0]
    K, Q = factored_weights(p.seeds, 4, "uniform")
    for kind, factors in (("W", [W]), ("KQ", [K, Q])):
        log = train(p, BoundedHead, kind, plain(1.0), 1, 1, attention=attention, start=W if kind == "W" else (K, Q))
        theirs = gradients(p, stack, [x[:, None, None] for x in factors], eyes(p, stack))
        moved = [x - g[:, 0, 0] for x, g in zip(factors, theirs, strict=True)]
        after = moved[0] if kind == "W" else moved[0] @ moved[1].mT
        # weights of order one, rounded, and products of two of them
        assert np.allclose(log.weights[:, 1], after, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["W", "KQ"])
def test_every_engine_of_a_layer_takes_it(kind, monkeypatch):
    arguments = problems(S=4), BoundedHead, kind, exact(0.1), 40, 10
    ours, theirs = (train(*arguments, device=device) for device in ("cpu", "cpu:0"))
    monkeypatch.setattr(dense, "LARGE", 0)
    monkeypatch.setattr(compiled, "run", None)
    alone = train(*arguments)
    for name in ("weights", "largest", "loss", "gradient_norm", "probabilities"):
        # 40 steps before saturation amplify a rounding error of 1e-16 to about 1e-13.
        assert np.allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10, atol=1e-12), name
        assert np.allclose(getattr(ours, name), getattr(alone, name), rtol=1e-10, atol=1e-12), name


@pytest.mark.slow  # a minute to compile
@pytest.mark.parametrize(
    "stack",
    [
        Stack(layers=3, heads=2),
        Stack(layers=2, residual=False, attention="causal", causal=True),
        Stack(layers=2, heads=2, attention="self", parametrisation="KQ", m=3),
    ],
    ids=str,
)
def test_a_step_of_a_stack_is_the_gradient_of_autograd(stack):
    p = problems()
    start = [2 * x for x in initial(stack, p.seeds, 4)]
    values = np.random.default_rng(5).normal(size=(2, stack.layers, stack.heads, 4, 4)) / 2
    ours = train_stack(p, stack, BoundedHead, plain(1.0), 1, 1, tuple(start), values)
    moved = [x - g for x, g in zip(start, gradients(p, stack, start, values), strict=True)]
    after = moved[0] if len(moved) == 1 else moved[0] @ moved[1].mT
    # weights of order one, rounded, and products of two of them
    assert np.allclose(ours.weights[:, 1], after, rtol=0, atol=1e-14)


@pytest.mark.slow
def test_its_parameters_move_along_their_gradient():
    p, stack = problems(), Stack(layers=2)
    ours = train_stack(p, stack, BoundedHead, exact(0.1), 1, 1, head_rate=0.3)
    assert np.array_equal(ours.head[:, 0], p.head[:, :P, -1])
    for s in range(len(p)):
        V = torch.tensor(p.head[s], requires_grad=True)
        W = torch.from_numpy(ours.weights[s, 0])
        torch_losses(*tensors(p, s), W, torch.from_numpy(eyes(p, stack)[s]), partial(h, V), stack).backward()
        slope = V.grad.numpy()[:P, -1]
        assert np.allclose(ours.head[s, 1], ours.head[s, 0] - 0.3 * slope / np.linalg.norm(slope), rtol=0, atol=1e-14)


@pytest.mark.parametrize("layers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_direction_deep_in_saturation(layers):
    """Trained until the gradient underflows, in the engine of one layer and in a stack."""
    p, rate, stack, kept = problems(S=1, seed=1), 2.0, Stack(layers=layers), np.array([999, 1000])
    if layers == 1:
        W = initial(stack, p.seeds, 4)[0][:, 0, 0]
        before, after = train(p, BoundedHead, "W", exact(rate), 1000, kept, start=W).weights[0][:, None]
    else:
        before, after = train_stack(p, stack, BoundedHead, exact(rate), 1000, kept).weights[0, :, :, 0]
    given = (x[0].tolist() for x in (p.tokens, p.queries, p.labels))
    theirs = mp_gradient(*given, partial(mp_h, p.head[0]), before, True, digits=2000)
    norm = mp.sqrt(mp.fsum(x * x for layer in theirs for row in layer for x in row))
    assert 750 < -mp.log(norm) < 2000  # differences of 10^−1000 would count at exp(−2300)
    direction = np.array([[[float(x / norm) for x in row] for row in layer] for layer in theirs])
    # Logits of 1e3 are known to 1e-12, and the terms of the gradient with that relative error.
    assert np.allclose((before - after) / rate, direction, rtol=0, atol=1e-9)


def test_a_head_without_parameters_cannot_be_trained_along():
    p = draw(gaussian, range(2), 2, 3, 4)
    with pytest.raises(ValueError, match=r"head_rate: a FirstHead cannot be trained along"):
        train_stack(p, Stack(), FirstHead, exact(0.1), 1, 1, head_rate=0.1)
