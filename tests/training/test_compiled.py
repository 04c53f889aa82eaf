"""The engines without torch, compiled and of matrix products, against torch and against autograd."""

from itertools import product

import numpy as np
import pytest
import torch
from pairwise import pairwise
from stack_references import torch_gradients
from training_references import HEADS, RULES, assert_close, use_only

from attnsvm.data.architecture import Stack
from attnsvm.data.draws import draw
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.training import LinearHead, ReluHead, on_device, plain, published, train
from attnsvm.training.start import PARAMETRISATIONS


def problems(head, S=5, n=2, T=3, d=4):
    return draw(HEADS[head].draw, range(S), n, T, d)


@pytest.mark.parametrize("engine", ["compiled", "dense"])
@pytest.mark.parametrize(("head", "kind", "rule", "attention"), pairwise(HEADS, ("W", "KQ"), RULES, ATTENTIONS))
def test_an_engine_follows_torch(head, kind, rule, attention, engine, monkeypatch):
    use_only(engine, monkeypatch)
    arguments = problems(head), HEADS[head].build, kind, RULES[rule], 40, 10
    ours = train(*arguments, attention=attention)
    assert_close(ours, train(*arguments, attention=attention, device="cpu:0"))  # any device but "cpu" runs in torch


@pytest.mark.parametrize(("kind", "head", "attention"), list(product(("W", "KQ"), HEADS, ATTENTIONS)))
def test_one_plain_step_is_the_gradient_of_autograd(kind, head, attention):
    p = problems(head)
    log = train(p, HEADS[head].build, kind, plain(1.0), 1, 1, attention=attention)
    factors = PARAMETRISATIONS[kind](p.seeds, p.tokens.shape[-1], "uniform")
    stacked = [x[:, None, None] for x in factors]
    gradients, _, loss = torch_gradients(p, Stack(attention=attention), stacked, HEADS[head].h)
    gradients = [x[:, 0, 0] for x in gradients]
    np.testing.assert_allclose(log.loss[:, 0], loss, rtol=1e-13)
    norm = np.sqrt(sum((x**2).sum((1, 2)) for x in gradients))
    np.testing.assert_allclose(log.gradient_norm[:, 0], norm, rtol=1e-12)
    moved = [x - gradient for x, gradient in zip(factors, gradients, strict=True)]
    if kind == "W":
        # 1e-12 of the gradient, and what rounding W itself costs.
        error, size = (np.abs(x).max((1, 2)) for x in (log.weights[:, 1] - moved[0], gradients[0]))
        assert (error <= 1e-12 * size + 4e-16).all()
    else:
        np.testing.assert_allclose(log.weights[:, 1], moved[0] @ moved[1].mT, rtol=0, atol=1e-14)


@pytest.mark.parametrize("start", ["uniform", "zero"])
def test_fewer_columns_than_dimensions(start):
    """m < d: the compiled loop and torch agree, and W has rank m."""
    arguments = problems("linear"), LinearHead, "KQ", published(0.1), 20, 20
    ours, theirs = (train(*arguments, start=start, m=2, device=device) for device in ("cpu", "cpu:0"))
    assert np.allclose(ours.weights, theirs.weights, atol=1e-12)
    assert (np.linalg.matrix_rank(ours.weights[:, -1]) == 2).all()


def test_torch_follows_large_instances_without_their_gram_matrix(monkeypatch):
    """Of 64 inputs with 128 tokens it takes half a gigabyte per instance."""
    arguments = problems("relu"), ReluHead, "W", published(0.1), 40, 10
    ours = train(*arguments)
    monkeypatch.setattr(on_device, "LARGE", 0)
    monkeypatch.setattr(on_device.FullWeights, "gram", None)
    assert_close(ours, train(*arguments, device="cpu:0"))


def test_a_device_takes_as_many_instances_at_once_as_its_memory_has_room_for(monkeypatch):
    assert on_device.at_once(6, 8, 10, logged=3) > 10_000
    assert on_device.at_once(64, 128, 384, logged=1000) == 1
    p, seen = problems("relu", S=7), []
    monkeypatch.setattr(on_device, "NUMBERS", 3 * (2 * 3) ** 2)
    arguments = p, ReluHead, "W", published(0.1), 1, 1
    assert_close(train(*arguments), train(*arguments, device="cpu:0", progress=seen.append))
    assert seen == [3, 3, 1]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_a_gpu_gives_the_same_runs():
    arguments = problems("relu"), ReluHead, "KQ", published(0.1), 40, 10
    ours, theirs = train(*arguments), train(*arguments, device="cuda")
    assert np.allclose(ours.weights, theirs.weights, rtol=1e-10, atol=1e-12)
