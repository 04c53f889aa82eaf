"""What the tests of training compare with: batch-first, and written from the formulas.

f = h(Xᵀ softmax(X W z)), loss = mean of log(1 + exp(−Y f)).
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from attnsvm.data.draws import gaussian
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.training import LinearHead, PenalisedHead, ReluHead, compiled, dense, exact, plain, published

PENALTY = 0.3


class Kind(NamedTuple):
    """A kind of head: what draws its problems, the engine's class, and h of mixtures (..., d) from its definition."""

    draw: Callable
    build: Callable
    h: Callable


HEADS = {
    "linear": Kind(gaussian, LinearHead, lambda x, v: x @ v),
    "relu": Kind(relu, ReluHead, lambda x, V: torch.relu(x @ V).sum(-1)),
    "penalised": Kind(
        gaussian, partial(PenalisedHead, penalty=PENALTY), lambda x, v: x @ v - PENALTY * (x * x).sum(-1)
    ),
}
RULES = {"published": published(0.1), "exact": exact(0.1), "plain": plain(0.5)}
LOGGED = ("weights", "largest", "loss", "gradient_norm", "probabilities")
S, n, T, d = 5, 3, 4, 6


def use_only(engine, monkeypatch):
    """Instances of any size are trained by this engine, "compiled" or "dense"."""
    other, size = (compiled, 0) if engine == "dense" else (dense, 10**9)
    monkeypatch.setattr(other, "run", None)
    monkeypatch.setattr(dense, "LARGE", size)


def assert_close(ours, theirs):
    """Two logs of 40 steps before saturation, which amplify a rounding error of 1e-16 to about 1e-13."""
    for name in LOGGED:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.shape == other.shape
        assert np.allclose(one, other, rtol=1e-10, atol=1e-12), name


def assert_same(ours, theirs):
    """Two logs have the same bits."""
    for name, array in vars(theirs).items():
        assert np.array_equal(getattr(ours, name), array), name


def assert_cut_anywhere(run, problems, parts):
    """Every part of the problems has by itself the bits that it has among all."""
    together = run(problems)
    for part in parts:
        assert_same(run(problems[part]), together[part])


def rand(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def reference_loss(h, X, Z, Y, weights, W):
    """(S,) from X (S, n, T, d), Z (S, n, d), Y (S, n), W (S, d, d)."""
    losses = []
    for x, z, y, a, w in zip(X, Z, Y, weights, W, strict=True):
        logits = torch.einsum("ntd,de,ne->nt", x, w, z)
        p = torch.exp(logits - torch.logsumexp(logits, 1, keepdim=True))
        f = h(torch.einsum("nt,ntd->nd", p, x), a)
        losses.append(torch.logsumexp(torch.stack([torch.zeros_like(f), -y * f]), 0).mean())
    return torch.stack(losses)


def relative(a, b):
    return float((a - b).norm() / b.norm())
