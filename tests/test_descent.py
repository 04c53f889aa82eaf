"""Heads, attention, parametrisations and the descent engine against autograd and torch.optim.

The references are batch-first and written from the formulas: f = h(Xᵀ softmax(X W z)), mean of log(1 + exp(−Y f)).
"""

from functools import partial

import numpy as np
import pytest
import torch

from attnsvm import problems
from attnsvm.attention import evaluate
from attnsvm.descent import CACHE_BYTES, Log, logged_steps, train
from attnsvm.heads import LinearHead, PenalisedHead, ReluHead
from attnsvm.parametrisations import FactoredWeights, FullWeights, draw_initial, normal, uniform
from attnsvm.problems import Problems, draw
from attnsvm.rules import EPSILON, Normalised, Plain

PENALTY = 0.7
HEADS = {  # the engine's head, and h(x) of one instance on mixtures x (..., d), from its definition
    "linear": (LinearHead, lambda x, v: x @ v),
    "relu": (ReluHead, lambda x, V: torch.relu(x @ V).sum(-1)),
    "penalised": (partial(PenalisedHead, penalty=PENALTY), lambda x, v: x @ v - PENALTY * (x * x).sum(-1)),
}
S, n, T, d = 5, 3, 4, 6


def rand(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def batch(head, seed=0):
    """A batch-first problem with nothing normalised, so that no scale is special."""
    weights = rand(S, d, d, seed=seed + 1) if head == "relu" else rand(S, d, seed=seed + 1)
    labels = torch.where(rand(S, n, seed=seed + 2) > 0, 1.0, -1.0).double()
    return rand(S, n, T, d, seed=seed + 3), rand(S, n, d, seed=seed + 4), labels, weights


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


def engine_pass(head, parametrisation, X, Y, weights):
    """One evaluation as the engine does it, instances last."""
    h = HEADS[head][0](weights)
    values = h.values(X.permute(1, 2, 3, 0).contiguous())
    return evaluate(parametrisation.logits(), values, Y.T.contiguous(), h)


# ---------------------------------------------------------------------------------------------------------- heads


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


# ------------------------------------------------------------------------------- loss and gradient, every product


def parametrised(name, X, Z):
    """(factors that require a gradient, the W they give, the engine's object)."""
    if name == "W":
        W = rand(S, d, d, seed=20).requires_grad_()
        return (W,), W, FullWeights(X, Z, W.detach().clone())
    m = {"KQ": d, "KQ thin": 2, "KQ wide": d + 3}[name]
    K, Q = (rand(S, d, m, seed=s).requires_grad_() for s in (21, 22))
    return (K, Q), K @ Q.mT, FactoredWeights(X, Z, K.detach().clone(), Q.detach().clone(), penalty=0.05)


@pytest.mark.parametrize("name", ["W", "KQ", "KQ thin", "KQ wide"])
@pytest.mark.parametrize("head", HEADS)
def test_loss_and_gradient_agree_with_autograd(head, name):
    X, Z, Y, weights = batch(head)
    factors, W, mine = parametrised(name, X, Z)
    loss = reference_loss(HEADS[head][1], X, Z, Y, weights, W)
    objective = loss.sum()
    if name != "W":
        objective = objective + 0.05 * sum(f.square().sum() for f in factors)
    objective.backward()

    at = engine_pass(head, mine, X, Y, weights)
    assert at.loss.shape == (S,)
    assert at.probabilities.shape == at.logit_gradient.shape == (n, T, S)
    # 1e-12: both sides are a few hundred double-precision operations
    assert relative(at.loss, loss.detach()) < 1e-12
    assert relative(mine.weights(), W.detach()) < 1e-12
    gradients = mine.gradient(at.logit_gradient)
    for gradient, factor in zip(gradients, factors, strict=True):
        for s in range(S):
            assert relative(gradient[s], factor.grad[s]) < 1e-12
    norm = torch.sqrt(sum(f.grad.square().sum((1, 2)) for f in factors))
    assert relative(mine.gradient_norm(at.logit_gradient), norm) < 1e-12


def test_probabilities_are_the_softmax_of_each_inputs_logits():
    X, Z, Y, weights = batch("linear")
    _, W, mine = parametrised("W", X, Z)
    at = engine_pass("linear", mine, X, Y, weights)
    for s in range(S):
        for i in range(n):
            e = np.exp((X[s, i] @ W[s] @ Z[s, i]).detach().numpy())
            np.testing.assert_allclose(at.probabilities[i, :, s], e / e.sum(), rtol=1e-12)


def test_gradient_agrees_with_central_differences():
    X, Z, Y, weights = batch("penalised")
    _, W, mine = parametrised("W", X, Z)
    W = W.detach()
    gradient = mine.gradient(engine_pass("penalised", mine, X, Y, weights).logit_gradient)[0]
    h = 1e-5
    for a, b in [(0, 0), (2, 5), (5, 1)]:
        up, down = W.clone(), W.clone()
        up[:, a, b] += h
        down[:, a, b] -= h
        ends = [reference_loss(HEADS["penalised"][1], X, Z, Y, weights, end) for end in (up, down)]
        # error h²·L''' ≈ 1e-10·O(10) and rounding 1e-16/h = 1e-11, against gradients of order one
        np.testing.assert_allclose(gradient[:, a, b], (ends[0] - ends[1]) / (2 * h), rtol=0, atol=1e-8)


@pytest.mark.parametrize("far", [800.0, -800.0])
def test_extreme_logits_give_finite_numbers(far):
    X = torch.zeros(1, 1, 2, 2, dtype=torch.float64)
    X[0, 0, 0, 0] = 1.0
    Z = torch.tensor([[[1.0, 0.0]]]).double()
    W = torch.tensor([[[far, 0.0], [0.0, 0.0]]]).double()
    labels, v = torch.ones(1, 1).double(), torch.tensor([[3.0, 0.0]]).double()
    at = engine_pass("linear", FullWeights(X, Z, W), X, labels, v)
    picked = 3.0 if far > 0 else 0.0  # the score of the one token with all the weight
    assert at.loss.item() == pytest.approx(np.log1p(np.exp(-picked)), rel=1e-14)
    assert torch.isfinite(at.logit_gradient).all()
    assert at.logit_gradient.abs().max() < 1e-300  # e^-800 is below the smallest double


# ------------------------------------------------------------------------------------------------------- one step


def test_normalised_step_moves_each_factor_by_the_learning_rate():
    X, Z, Y, weights = batch("linear")
    for name in ("W", "KQ thin"):
        factors, W, mine = parametrised(name, X, Z)
        loss = reference_loss(HEADS["linear"][1], X, Z, Y, weights, W).sum()
        if name != "W":
            loss = loss + 0.05 * sum(f.square().sum() for f in factors)
        loss.backward()
        mine.step(engine_pass("linear", mine, X, Y, weights).logit_gradient, Normalised(0.1))
        with torch.no_grad():
            moved = [f - 0.1 * f.grad / f.grad.norm(dim=(1, 2), keepdim=True) for f in factors]
        expected = moved[0] if name == "W" else moved[0] @ moved[1].mT
        assert relative(mine.weights(), expected) < 1e-12
        logits = torch.einsum("sntd,sde,sne->nts", X, expected, Z)
        assert relative(mine.logits(), logits) < 1e-12


def test_a_vanished_gradient_moves_nothing():
    """Equal tokens: the gradient is zero and the ε in the denominator keeps the step finite."""
    X, Z, _, _ = batch("linear")
    W = rand(S, d, d, seed=3)
    mine = FullWeights(X, Z, W.clone())
    mine.step(torch.zeros(n, T, S, dtype=torch.float64), Normalised(0.1))
    assert torch.equal(mine.weights(), W)


def test_rules_scale_gradients_as_published():
    norms = torch.tensor([0.0, EPSILON, 2.0], dtype=torch.float64)
    assert EPSILON == 2.0**-52
    expected = torch.tensor([0.1 / 2.0**-52, 0.1 / 2.0**-51, 0.1 / (2.0 + 2.0**-52)]).double()
    # 1e-15: one division; torch may divide as it likes in the last bit
    torch.testing.assert_close(Normalised(0.1).scale(norms), expected.double(), rtol=1e-7, atol=0)
    assert Plain(0.3).scale(norms).tolist() == [0.3, 0.3, 0.3]


# -------------------------------------------------------------------------------------- whole runs, one at a time


def official_run(head, name, problem, start, steps, every):
    """The official loop for one instance: autograd, gradient normalised by hand, torch.optim.SGD.

    `start`: the initial factors. Returns W at the logged steps, losses, final probabilities.
    """
    X, Z, Y, a = (torch.from_numpy(x[0]) for x in (problem.tokens, problem.queries, problem.labels, problem.head))
    factors = [torch.nn.Parameter(f.clone()) for f in start]
    optimiser = torch.optim.SGD(factors, lr=0.1)
    weights, losses = [], []
    for step in range(steps + 1):
        W = factors[0] if name == "W" else factors[0] @ factors[1].T
        logits = torch.einsum("ntd,de,ne->nt", X, W, Z)
        p = torch.softmax(logits, 1)
        f = HEADS[head][1](torch.einsum("nt,ntd->nd", p, X), a)
        loss = torch.log1p(torch.exp(-Y * f)).mean()
        if step % every == 0:
            weights.append(W.detach().clone())
            losses.append(loss.item())
        objective = loss
        if name == "KQ":
            objective = loss + EPSILON * sum(f.square().sum() for f in factors)
        optimiser.zero_grad()
        objective.backward()
        for factor in factors:
            factor.grad /= factor.grad.norm() + EPSILON
        optimiser.step()
    return torch.stack(weights).numpy(), np.array(losses), p.detach().numpy()


def initial_factors(name, problem, start):
    """The first weights of one instance, from the documented draws of its own stream."""
    k = problem.tokens.shape[-1]
    if start == "zero":
        K = 0.1 * draw_initial("KQ", problem.seeds, normal((k, k)))[0]
        return [torch.zeros(k, k, dtype=torch.float64)] if name == "W" else [K, torch.zeros_like(K)]
    if name == "W":
        return [draw_initial("W", problem.seeds, uniform((k, k), k))[0]]
    return list(draw_initial("KQ", problem.seeds, uniform((2, k, k), k))[0])


@pytest.mark.parametrize("start", ["uniform", "zero"])
@pytest.mark.parametrize("name", ["W", "KQ"])
@pytest.mark.parametrize("head", ["linear", "relu"])
def test_a_run_follows_the_official_loop(head, name, start):
    generate, shape = (problems.relu, (3, 4, 6)) if head == "relu" else (problems.gaussian, (4, 5, 6))
    for seed in SEEDS:
      p = draw(generate, [seed], *shape)
      log = train(p, HEADS[head][0], name, Normalised(0.1), steps=300, every=50, start=start)
      weights, losses, final = official_run(head, name, p, initial_factors(name, p, start), 300, 50)
      scale = np.abs(weights).max()
      print("MEASURED", head, name, start, seed, np.abs(log.weights[0] - weights).max() / scale, np.abs(log.loss[0] - losses).max(), np.abs(log.probabilities[0] - final).max(), log.gradient_norm.min())


SEEDS = range(11,23)
