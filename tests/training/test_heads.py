"""Every head against its definition and autograd, as torch and as compiled code."""

import numpy as np
import pytest
import torch
from numba import njit
from training_references import HEADS, S, T, batch, d, n, rand, relative

from attnsvm.lanes.arithmetic import LANES
from attnsvm.training.kernels import readout


@njit
def compiled_readout(head, mixed, h, slope):
    readout(head, mixed, h, slope)


@pytest.mark.parametrize("head", HEADS)
def test_a_head_reads_the_mixture_of_values_as_h_of_the_mixture_of_tokens(head):
    X, _, _, weights = batch(head)
    build, h = HEADS[head]
    p = torch.softmax(rand(S, n, T, seed=9), -1)
    mixtures = torch.einsum("snt,sntd->snd", p, X)
    expected = torch.stack([h(x, a) for x, a in zip(mixtures, weights, strict=True)])

    values = build(weights).values(X.permute(1, 2, 3, 0))
    assert values.shape[:2] == (n, T)
    assert values.shape[-1] == S
    out, _ = build(weights).readout(torch.einsum("snt,ntps->nps", p, values))
    assert out.shape == (n, S)
    # 1e-12: sums of some 50 products in double precision
    assert relative(out.T, expected) < 1e-12


@pytest.mark.parametrize("head", HEADS)
def test_a_heads_gradient_is_the_derivative_along_the_values(head):
    X, _, _, weights = batch(head)
    build, h = HEADS[head]
    logits = rand(S, n, T, seed=10).requires_grad_()
    mixtures = torch.einsum("snt,sntd->snd", torch.softmax(logits, -1), X)
    torch.stack([h(x, a) for x, a in zip(mixtures, weights, strict=True)]).sum().backward()

    p = torch.softmax(logits.detach(), -1).permute(1, 2, 0)
    values = build(weights).values(X.permute(1, 2, 3, 0))
    _, slope = build(weights).readout((p.unsqueeze(2) * values).sum(1))
    by_token = (values * slope.unsqueeze(1)).sum(2)
    mine = p * (by_token - (p * by_token).sum(1, keepdim=True))  # through the softmax's Jacobian
    assert relative(mine.permute(2, 0, 1), logits.grad) < 1e-12


@pytest.mark.parametrize("head", HEADS)
def test_the_compiled_readout_is_that_of_torch(head):
    shape = (LANES, d, d) if head == "relu" else (LANES, d)
    weights = rand(*shape, seed=1)
    built, ours = HEADS[head][0](weights), HEADS[head][0](weights.numpy())
    values = built.values(rand(n, T, d, LANES, seed=2))
    by_numpy = ours.values(rand(n, T, d, LANES, seed=2).numpy())
    np.testing.assert_allclose(by_numpy, values, rtol=0, atol=1e-13)
    mixed = rand(n, values.shape[2], LANES, seed=3)
    expected, expected_slope = built.readout(mixed)
    for i in range(n):
        h, slope = np.full(LANES, np.nan), np.full(mixed.shape[1:], np.nan)
        compiled_readout(ours.compiled(), mixed[i].numpy(), h, slope)
        # 1e-13: sums of six products of order one, in another order
        np.testing.assert_allclose(h, expected[i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(slope, expected_slope[i], rtol=0, atol=1e-13)
