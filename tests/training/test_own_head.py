"""A head of one's own, one class and its compiled half: in a layer and in a stack, as any other head."""

import numpy as np
import pytest
import torch
from mpmath import mp
from slow_reverse import inverse_root
from stack_references import slow_gradients, torch_gradients
from training_references import assert_close, use_only

from attnsvm.batch import LANES
from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.training import exact, plain, train
from attnsvm.training.heads.base import Head
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial
from attnsvm.training.start import PARAMETRISATIONS

P = 3  # what the head sees of a token, of d = 4 components


class BoundedHead(Head):
    """h(x) = Σ_j a_j u_j/√(1 + u_j²), u = Eᵀx; of the weights V (S, d, d), E is P columns and a is of the last."""

    def __init__(self, V):
        self.embedding, self.parameters = V[:, :, :P], V[:, :P, -1].T

    def readout(self, mixed):
        square = 1 + mixed * mixed
        return (self.parameters * mixed / square**0.5).sum(1), self.parameters / square**1.5

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                u = mixed[j, lane]
                root = np.sqrt(1 + u * u)
                h[lane] += parameters[j, lane] * u / root
                slope[j, lane] = parameters[j, lane] / (root * root * root)

    @staticmethod
    def parameter_slope_lanes(parameters, number, mixed, slope):
        for j in range(len(mixed)):
            for lane in range(LANES):
                slope[j, lane] = mixed[j, lane] / np.sqrt(1 + mixed[j, lane] * mixed[j, lane])


class FirstHead(Head):
    """h(x) = x_1, of no weights; a readout alone: it cannot be trained along."""

    def __init__(self, given):
        pass

    def readout(self, mixed):
        raise NotImplementedError

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = mixed[0, lane]
            slope[:, lane] = 0.0
            slope[0, lane] = 1.0


def h(x, V, inverse_root=torch.rsqrt):
    """The definition, of mixtures (..., d)."""
    a, u = V[:P, -1], x @ V[:, :P]
    return (a * u * inverse_root(1 + u * u)).sum(-1)


def problems(S=2, n=2, T=3, seed=0):
    return draw(relu, range(seed, seed + S), n, T, 4)


def moved(p, stack, factors, values=None):
    """W after a step of one along the gradient of autograd: weights of order one, rounded, and products of two."""
    gradients, *_ = torch_gradients(p, stack, factors, h, values)
    after = [x - g for x, g in zip(factors, gradients, strict=True)]
    return after[0] if len(after) == 1 else after[0] @ after[1].mT


@pytest.mark.parametrize("kind", ["W", "KQ"])
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_step_of_a_layer_is_the_gradient_of_autograd(attention, kind):
    p, stack = problems(), Stack(attention=attention)
    factors = [x[:, None, None] for x in PARAMETRISATIONS[kind](p.seeds, 4, "uniform")]
    log = train(p, BoundedHead, kind, plain(1.0), 1, 1, attention=attention)
    assert np.allclose(log.weights[:, 1], moved(p, stack, factors)[:, 0, 0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["W", "KQ"])
def test_every_engine_of_a_layer_takes_it(kind, monkeypatch):
    arguments = problems(S=4), BoundedHead, kind, exact(0.1), 40, 10
    ours, theirs = (train(*arguments, device=device) for device in ("cpu", "cpu:0"))
    use_only("dense", monkeypatch)
    assert_close(ours, theirs)
    assert_close(ours, train(*arguments))


@pytest.mark.slow  # the loop of a stack to compile
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
    assert np.allclose(ours.weights[:, 1], moved(p, stack, start, values), rtol=0, atol=1e-14)


@pytest.mark.parametrize("layers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_direction_deep_in_saturation(layers):
    """Trained until the gradient underflows, in the engine of one layer and in a stack."""
    p, rate, stack, kept = problems(S=1, seed=1), 2.0, Stack(layers=layers), np.array([999, 1000])
    if layers == 1:
        W = initial(stack, p.seeds, 4)[0][:, 0, 0]
        before, after = train(p, BoundedHead, "W", exact(rate), 1000, kept, start=W).weights[0][:, None]
    else:
        before, after = train_stack(p, stack, BoundedHead, exact(rate), 1000, kept).weights[0, :, :, 0]
    theirs = slow_gradients(p, stack, before, lambda x, V: h(x, V, inverse_root))
    norm = mp.sqrt((theirs * theirs).sum())
    assert -mp.log(norm) > 750
    direction = (theirs / norm).astype(float)
    # Logits of 1e3 are known to 1e-12, and the terms of the gradient with that relative error.
    assert np.allclose((before - after) / rate, direction, rtol=0, atol=1e-9)


def test_a_head_without_parameters_cannot_be_trained_along():
    p = draw(gaussian, range(2), 2, 3, 4)
    with pytest.raises(ValueError, match=r"head_rate: a FirstHead cannot be trained along"):
        train_stack(p, Stack(), FirstHead, exact(0.1), 1, 1, head_rate=0.1)
