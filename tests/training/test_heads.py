"""Every head against its definition and autograd, as torch and as compiled code."""

import numpy as np
import pytest
import torch
from numba import njit
from training_references import HEADS, T, d, n, rand

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import call
from attnsvm.training.heads.base import reader, trainable


@njit
def compiled_readout(head, mixed, h, slope):
    call(head.readout, head.parameters, head.number, mixed, h, slope)


@njit
def compiled_parameter_slope(head, mixed, slope):
    call(head.parameter_slope, head.parameters, head.number, mixed, slope)


def compiled(head):
    """The head as a loop has it: its parameters are a copy in C order."""
    whole = reader(head, LANES)
    return whole._replace(parameters=np.array(whole.parameters, order="C"))


def built(head):
    """The head of torch weights and of the same as NumPy's."""
    weights = rand(*((LANES, d, d) if head == "relu" else (LANES, d)), seed=1)
    return HEADS[head].build(weights), HEADS[head].build(weights.numpy())


def assert_same_readout(torchs, ours, mixed):
    expected, expected_slope = torchs.readout(mixed)
    by_numpy, slope_by_numpy = ours.readout(mixed.numpy())
    # 1e-13: sums of six products of order one, in another order
    np.testing.assert_allclose(by_numpy, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(slope_by_numpy, expected_slope, rtol=0, atol=1e-13)
    for i in range(n):
        h, slope = np.full(LANES, np.nan), np.full(mixed.shape[1:], np.nan)
        compiled_readout(compiled(ours), mixed[i].numpy(), h, slope)
        np.testing.assert_allclose(h, expected[i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(slope, expected_slope[i], rtol=0, atol=1e-13)


@pytest.mark.parametrize("head", HEADS)
def test_the_compiled_readout_is_that_of_torch(head):
    """On mixtures of what a layer embeds, and on mixtures of tokens, embedded where the head embeds."""
    torchs, ours = built(head)
    tokens = rand(n, T, d, LANES, seed=2)
    (values, reader), (by_numpy, our_reader) = torchs.embed(tokens), ours.embed(tokens.numpy())
    np.testing.assert_allclose(by_numpy, values, rtol=0, atol=1e-13)
    assert_same_readout(reader, our_reader, rand(n, values.shape[2], LANES, seed=3))
    assert_same_readout(torchs, ours, rand(n, d, LANES, seed=4))


@pytest.mark.parametrize("head", HEADS)
def test_the_slope_along_the_parameters_is_that_of_autograd(head):
    """Of the heads that can be trained along: those whose weights the readout holds, and not the embedding."""
    _, ours = built(head)
    assert trainable(ours) == (ours.embedding is None)
    if not trainable(ours):
        return
    one = compiled(ours)
    mixed, v = rand(d, LANES, seed=3), rand(LANES, d, seed=1).requires_grad_()
    assert np.array_equal(one.parameters, v.detach().T)
    torch.stack([HEADS[head].h(x, a) for x, a in zip(mixed.T, v, strict=True)]).sum().backward()
    slope = np.full((d, LANES), np.nan)
    compiled_parameter_slope(one, mixed.numpy(), slope)
    np.testing.assert_allclose(slope, v.grad.T, rtol=0, atol=1e-14)
