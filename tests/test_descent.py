"""Heads, attention, parametrisations and the descent engine against autograd and torch.optim.

The references are batch-first and written from the formulas: f = h(Xᵀ softmax(X W z)), mean of log(1 + exp(−Y f)).
"""

from functools import partial

import numpy as np
import pytest
import torch

from attnsvm import draws
from attnsvm.training import descent
from attnsvm.training.loss import evaluate
from attnsvm.training.descent import logged_steps, train
from attnsvm.training.heads import LinearHead, PenalisedHead, ReluHead
from attnsvm.training.weights import FactoredWeights, FullWeights, draw_initial, normal, uniform
from attnsvm.draws import draw
from attnsvm.problems import Problems
from attnsvm.training.steps import EPSILON, plain, published

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
def test_extreme_logits_give_exact_limits(far):
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
        mine.step(engine_pass("linear", mine, X, Y, weights).logit_gradient, published(0.1))
        with torch.no_grad():
            moved = [f - 0.1 * f.grad / f.grad.norm(dim=(1, 2), keepdim=True) for f in factors]
        expected = moved[0] if name == "W" else moved[0] @ moved[1].mT
        assert relative(mine.weights(), expected) < 1e-12
        logits = torch.einsum("sntd,sde,sne->nts", X, expected, Z)
        assert relative(mine.logits(), logits) < 1e-12


def test_a_vanished_gradient_moves_nothing():
    """The ε in the denominator keeps the step finite where the gradient is zero."""
    X, Z, _, _ = batch("linear")
    W = rand(S, d, d, seed=3)
    mine = FullWeights(X, Z, W.clone())
    mine.step(torch.zeros(n, T, S, dtype=torch.float64), published(0.1))
    assert torch.equal(mine.weights(), W)


def test_rules_scale_gradients_as_published():
    norms = torch.tensor([0.0, EPSILON, 2.0], dtype=torch.float64)
    assert EPSILON == 2.0**-52
    # 1e-15: one sum and one division
    expected = [0.1 * 2.0**52, 0.1 * 2.0**51, 0.1 / (2.0 + 2.0**-52)]
    np.testing.assert_allclose(published(0.1).scale(norms), expected, rtol=1e-15)
    assert plain(0.3).scale(norms).tolist() == [0.3, 0.3, 0.3]


# -------------------------------------------------------------------------------------- whole runs, one at a time


def official_run(head, name, problem, start, steps):
    """The official loop for one instance: autograd, gradient normalised by hand, torch.optim.SGD.

    `start`: the initial factors. Returns W and the loss at every step, and the final probabilities.
    """
    X, Z, Y, a = (torch.from_numpy(x[0]) for x in (problem.tokens, problem.queries, problem.labels, problem.head))
    factors = [torch.nn.Parameter(f.clone()) for f in start]
    optimiser = torch.optim.SGD(factors, lr=0.1)
    weights, losses = [], []
    for _ in range(steps + 1):
        W = factors[0] if name == "W" else factors[0] @ factors[1].T
        logits = torch.einsum("ntd,de,ne->nt", X, W, Z)
        p = torch.softmax(logits, 1)
        f = HEADS[head][1](torch.einsum("nt,ntd->nd", p, X), a)
        loss = torch.log1p(torch.exp(-Y * f)).mean()
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
    p = draw(generate, [11], *shape)
    log = train(p, HEADS[head][0], name, published(0.1), steps=300, every=1, start=start)
    weights, losses, final = official_run(head, name, p, initial_factors(name, p, start), steps=300)

    # A rounding of 1e-16 in a gradient of norm g turns the normalised step by 1e-16/g. Measured: the error relative to
    # the largest weight so far, times the smallest g so far, is at most 4e-17; bound: 1e-15. (K, Q) with a linear head
    # saturates near step 100, where g reaches 1e-15 and rounding steers: compared while g is above 1e-8 (the bound is
    # then 1e-7, a step is 1e-1).
    smallest = np.minimum.accumulate(log.gradient_norm[0])
    comparable = smallest > 1e-8
    assert comparable[:75].all()
    assert comparable.all() or (head, name) == ("linear", "KQ")
    error = np.abs(log.weights[0] - weights).max((1, 2)) / np.maximum.accumulate(np.abs(weights).max((1, 2)) + 1e-300)
    assert (error <= 1e-14 + 1e-15 / smallest)[comparable].all()
    # loss and softmax are flat where rounding steers the weights; measured 4e-15, (K, Q) up to 4e-11 on other seeds
    assert np.abs(log.loss[0] - losses).max() < 1e-8
    assert np.abs(log.probabilities[0] - final).max() < 1e-8


def test_two_thousand_steps_at_the_papers_size():
    """The same against the official loop over the whole run of one local-convergence instance."""
    p = draw(problems.gaussian, [0], 6, 8, 10)
    log = train(p, LinearHead, "W", published(0.1), steps=2000, every=1)
    weights, losses, final = official_run("linear", "W", p, initial_factors("W", p, "uniform"), steps=2000)
    smallest = np.minimum.accumulate(log.gradient_norm[0])
    error = np.abs(log.weights[0] - weights).max((1, 2)) / np.abs(weights).max((1, 2))
    assert (error <= 1e-14 + 1e-15 / smallest)[smallest > 1e-10].all()
    assert np.abs(log.loss[0] - losses).max() < 1e-12
    assert np.abs(log.probabilities[0] - final).max() < 1e-12
    # g falls below 1e-16 near step 1000: from there autograd's own cancellation steers the official step. Measured: the
    # directions part by 9e-5 in correlation, against a spread of 3e-2 between instances.
    ours, theirs = log.weights[0, -1], weights[-1]
    assert 1 - (ours * theirs).sum() / np.linalg.norm(ours) / np.linalg.norm(theirs) < 1e-3


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_the_log_describes_the_logged_weights(name):
    p = draw(problems.gaussian, [1, 2], 3, 4, 5)
    log = train(p, LinearHead, name, published(0.1), steps=25, every=10)
    X, Z, Y, v = (torch.from_numpy(x) for x in (p.tokens, p.queries, p.labels, p.head))
    assert log.steps.tolist() == [5, 15, 25]
    assert log.weights.shape == (2, 3, 5, 5)
    for k in range(3):
        W = torch.from_numpy(log.weights[:, k])
        P = torch.softmax(torch.einsum("sntd,sde,sne->snt", X, W, Z), -1)
        # 1e-12: the engine follows the logits through their updates, 25 of them
        np.testing.assert_allclose(log.largest[:, k], P.amax(-1).mean(-1), rtol=1e-12)
        loss = reference_loss(HEADS["linear"][1], X, Z, Y, v, W)
        np.testing.assert_allclose(log.loss[:, k], loss, rtol=1e-12)
    np.testing.assert_allclose(log.probabilities, P, rtol=1e-11)
    assert np.array_equal(log[1:].weights, log.weights[1:])
    assert np.array_equal(log[1:].steps, log.steps)


LOGGED = ("weights", "loss", "largest", "gradient_norm", "probabilities")


@pytest.mark.parametrize("start", ["uniform", "zero"])
@pytest.mark.parametrize("name", ["W", "KQ"])
def test_a_run_is_the_same_to_the_bit_in_every_batch(name, start):
    """150 steps take (K, Q) past saturation, where one changed rounding would show in the first digits."""
    p = draw(problems.gaussian, range(70), 4, 5, 6)
    run = partial(train, head=LinearHead, parametrisation=name, rule=published(0.1), steps=150, every=75, start=start)
    together = run(p)
    for part in (slice(0, 1), slice(69, 70), slice(3, 37), slice(30, 65)):
        alone = run(p[part])
        for field in LOGGED:
            assert np.array_equal(getattr(alone, field), getattr(together, field)[part]), (field, part)


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_a_large_batch_is_cut_into_pieces_and_put_together_in_order(name, monkeypatch):
    p = draw(problems.relu, range(70), 2, 3, 4)
    run = partial(train, head=ReluHead, parametrisation=name, rule=published(0.1), steps=20, every=10)
    whole, seen = run(p), []
    monkeypatch.setattr(descent, "PIECE", 32)
    pieces = run(p, progress=seen.append)
    assert len(seen) > 1
    assert sum(seen) == 70
    assert all(np.array_equal(getattr(pieces, field), getattr(whole, field)) for field in LOGGED)


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_an_empty_batch_gives_an_empty_log(name):
    log = train(draw(problems.gaussian, [], 3, 4, 5), LinearHead, name, published(0.1), steps=4, every=2)
    assert log.weights.shape == (0, 3, 5, 5)
    assert log.probabilities.shape == (0, 3, 4)
    assert log.loss.shape == (0, 3)


# ------------------------------------------------------------------------------------------------ initial weights


def first_weights(name, start, seeds, k=40):
    p = draw(problems.gaussian, seeds, 2, 2, k)
    return train(p, LinearHead, name, plain(0.0), steps=1, every=1, start=start)


def test_uniform_start_is_uniform():
    W = first_weights("W", "uniform", range(30)).weights[:, 0]
    bound = 40**-0.5
    assert np.abs(W).max() <= bound
    # 48000 entries: the largest lies within 1e-3 of the bound, mean and variance within five standard errors
    assert np.abs(W).max() > 0.999 * bound
    assert abs(W.mean()) < 5 * bound / np.sqrt(3 * W.size)
    assert W.var() == pytest.approx(bound**2 / 3, rel=5 * np.sqrt(0.8 / W.size))
    K, Q = draw_initial("KQ", np.arange(30), uniform((2, 40, 40), 40)).unbind(1)
    assert not (K == Q).any()
    np.testing.assert_allclose(first_weights("KQ", "uniform", range(30)).weights[:, 0], (K @ Q.mT).numpy(), atol=1e-14)


def test_zero_start():
    assert not first_weights("W", "zero", [4]).weights.any()
    assert not first_weights("KQ", "zero", [4]).weights.any()  # Q = 0
    K = 0.1 * draw_initial("KQ", np.arange(30), normal((40, 40)))
    assert float(K.std()) == pytest.approx(0.1, rel=5 / np.sqrt(2 * K.numel()))
    # that this K is the one used shows in test_a_run_follows_the_official_loop


def test_streams_of_seeds_parametrisations_and_data_differ():
    W = first_weights("W", "uniform", [3, 4]).weights[:, 0]
    assert not (W[0] == W[1]).any()
    K = draw_initial("KQ", np.array([3]), uniform((40, 40), 40))[0].numpy()
    assert not (W[0] == K).any()
    data = (torch.rand((40, 40), generator=torch.Generator().manual_seed(3)).double() * 2 - 1) * 40**-0.5
    assert not (data.numpy() == W[0]).all()
    assert draw_initial("W", np.array([]), uniform((3, 4), 3)).shape == (0, 3, 4)


# ------------------------------------------------------------------------------------------------------ behaviour


@pytest.mark.parametrize(
    ("steps", "every", "expected"),
    [
        (10, 5, [0, 5, 10]),
        (11, 5, [1, 6, 11]),
        (3, 1, [0, 1, 2, 3]),
        (1, 1, [0, 1]),
        (3, 7, [3]),
        (2000, 1000, [0, 1000, 2000]),
    ],
)
def test_logged_steps_count_back_from_the_last(steps, every, expected):
    assert logged_steps(steps, every).tolist() == expected


@pytest.mark.parametrize("name", ["W", "KQ"])
@pytest.mark.parametrize("head", HEADS)
def test_plain_descent_with_a_small_step_lowers_the_loss_every_time(head, name):
    p = draw(problems.relu if head == "relu" else problems.gaussian, range(5), 3, 4, 6)
    log = train(p, HEADS[head][0], name, plain(0.05), steps=60, every=1)
    assert (np.diff(log.loss, axis=1) < 0).all()
    # first order: the loss falls by η‖∇L‖², to second order in η (measured: within 0.9 %)
    fall = -np.diff(log.loss, axis=1)
    np.testing.assert_allclose(fall, 0.05 * log.gradient_norm[:, :-1] ** 2, rtol=0.02)


def changed(p, **arrays):
    return Problems.from_arrays(p.arrays() | arrays)


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_permuting_tokens_permutes_probabilities_and_leaves_the_weights(name):
    p = draw(problems.relu, [1, 2, 3], 3, 5, 6)
    order = np.array([3, 0, 4, 1, 2])
    run = partial(train, head=ReluHead, parametrisation=name, rule=published(0.1), steps=50, every=10)
    a, b = run(p), run(changed(p, tokens=p.tokens[:, :, order]))
    # another order of summation: 1e-16 / the gradient's norm a step, 50 steps
    assert a.gradient_norm.min() > 1e-4
    np.testing.assert_allclose(b.weights, a.weights, rtol=0, atol=1e-10)
    np.testing.assert_allclose(b.probabilities, a.probabilities[:, :, order], rtol=0, atol=1e-10)
    assert np.abs(b.probabilities - a.probabilities).max() > 0.1  # the permutation does something


def test_rotating_tokens_rotates_the_rows_of_W_and_rotating_queries_its_columns():
    """From W = 0 nothing singles out a direction: W → R W Sᵀ."""
    p = draw(problems.gaussian, [5, 6], 3, 4, 5)
    R, U = (np.linalg.qr(np.random.default_rng(k).normal(size=(5, 5)))[0] for k in (0, 1))
    turned = changed(p, tokens=p.tokens @ R.T, queries=p.queries @ U.T, head=p.head @ R.T)
    run = partial(train, head=LinearHead, parametrisation="W", rule=published(0.1), steps=100, every=50, start="zero")
    a, b = run(p), run(turned)
    np.testing.assert_allclose(b.weights, R @ a.weights @ U.T, rtol=0, atol=1e-9)
    np.testing.assert_allclose(b.probabilities, a.probabilities, rtol=0, atol=1e-9)
    assert np.abs(a.weights[:, -1]).max() > 1


def test_weights_stay_in_the_span_of_the_outer_products_of_tokens_and_queries():
    p = draw(problems.gaussian, [8], 2, 3, 9)
    log = train(p, LinearHead, "W", published(0.1), steps=200, every=100, start="zero")
    left, right = p.tokens[0].reshape(-1, 9), p.queries[0]
    P, Q = (np.linalg.pinv(x) @ x for x in (left, right))
    W = log.weights[0, -1]
    assert np.linalg.norm(W) > 1
    np.testing.assert_allclose(P @ W @ Q, W, rtol=0, atol=1e-12 * np.linalg.norm(W))
