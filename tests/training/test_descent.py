"""Whole runs: against the official loop, in every batch the same, and what must hold on the way."""

from functools import partial

import numpy as np
import pytest
import torch
from training_references import HEADS, assert_cut_anywhere, assert_same, reference_loss

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.problems import Problems
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.training import LinearHead, ReluHead, descent, exact, plain, published, threads, train
from attnsvm.training.optimisers.gradient_descent import EPSILON
from attnsvm.training.start import draw_initial, normal, uniform

# -------------------------------------------------------------------------------------- whole runs, one at a time


def official_run(head, name, problem, start, steps):
    """The official loop for one instance: autograd, gradient normalised by hand, torch.optim.SGD.

    `start`: the initial factors. Returns W and the loss at every step, and the final probabilities.
    """
    X, Z, Y, a = (torch.from_numpy(x[0]) for x in (problem.tokens, problem.queries, problem.labels, problem.head))
    factors = [torch.nn.Parameter(torch.tensor(f)) for f in start]
    optimiser = torch.optim.SGD(factors, lr=0.1)
    weights, losses = [], []
    for _ in range(steps + 1):
        W = factors[0] if name == "W" else factors[0] @ factors[1].T
        logits = torch.einsum("ntd,de,ne->nt", X, W, Z)
        p = torch.softmax(logits, 1)
        f = HEADS[head].h(torch.einsum("nt,ntd->nd", p, X), a)
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
        return [np.zeros((k, k))] if name == "W" else [K, np.zeros_like(K)]
    if name == "W":
        return [draw_initial("W", problem.seeds, uniform((k, k), k))[0]]
    return list(draw_initial("KQ", problem.seeds, uniform((2, k, k), k))[0])


@pytest.mark.parametrize("start", ["uniform", "zero"])
@pytest.mark.parametrize("name", ["W", "KQ"])
@pytest.mark.parametrize("head", ["linear", "relu"])
def test_a_run_follows_the_official_loop(head, name, start):
    p = draw(HEADS[head].draw, [11], *((3, 4, 6) if head == "relu" else (4, 5, 6)))
    log = train(p, HEADS[head].build, name, published(0.1), steps=300, every=1, start=start)
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


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_the_log_describes_the_logged_weights(name):
    p = draw(gaussian, [1, 2], 3, 4, 5)
    log = train(p, LinearHead, name, published(0.1), steps=25, every=10)
    X, Z, Y, v = (torch.from_numpy(x) for x in (p.tokens, p.queries, p.labels, p.head))
    assert log.steps.tolist() == [5, 15, 25]
    assert log.weights.shape == (2, 3, 5, 5)
    for k in range(3):
        W = torch.from_numpy(log.weights[:, k])
        P = torch.softmax(torch.einsum("sntd,sde,sne->snt", X, W, Z), -1)
        # 1e-12: the engine follows the logits through their updates, 25 of them
        np.testing.assert_allclose(log.largest[:, k], P.amax(-1).mean(-1), rtol=1e-12)
        loss = reference_loss(HEADS["linear"].h, X, Z, Y, v, W)
        np.testing.assert_allclose(log.loss[:, k], loss, rtol=1e-12)
    np.testing.assert_allclose(log.probabilities, P, rtol=1e-11)
    assert np.array_equal(log[1:].weights, log.weights[1:])
    assert np.array_equal(log[1:].steps, log.steps)


@pytest.mark.parametrize("start", ["uniform", "zero"])
@pytest.mark.parametrize("name", ["W", "KQ"])
def test_a_run_is_the_same_to_the_bit_in_every_batch(name, start):
    """150 steps take (K, Q) past saturation, where one changed rounding would show in the first digits."""
    p = draw(gaussian, range(70), 4, 5, 6)
    run = partial(train, head=LinearHead, parametrisation=name, rule=published(0.1), steps=150, every=75, start=start)
    assert_cut_anywhere(run, p, (slice(0, 1), slice(69, 70), slice(3, 37), slice(30, 65)))


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_a_large_batch_is_cut_into_pieces_and_put_together_in_order(name, monkeypatch):
    p = draw(relu, range(70), 2, 3, 4)
    run = partial(train, head=ReluHead, parametrisation=name, rule=published(0.1), steps=20, every=10)
    whole, seen = run(p), []
    monkeypatch.setattr(descent, "PIECE", 32)
    pieces = run(p, progress=seen.append)
    assert len(seen) > 1
    assert sum(seen) == 70
    assert_same(pieces, whole)


@pytest.mark.parametrize("shape", [(2, 3, 4), (4, 24, 6)])  # W: by the Gram matrix, by its factors
@pytest.mark.parametrize("name", ["W", "KQ"])
def test_a_run_is_the_same_to_the_bit_on_any_number_of_threads(name, shape, monkeypatch):
    p = draw(relu, range(100), *shape)
    run = partial(train, p, ReluHead, name, published(0.1), steps=20, every=10)
    alone = run()
    for count in (2, 3, 16):
        monkeypatch.setattr(threads, "_allowed", count)
        assert_same(run(), alone)


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_an_empty_batch_gives_an_empty_log(name):
    log = train(draw(gaussian, [], 3, 4, 5), LinearHead, name, published(0.1), steps=4, every=2)
    assert log.weights.shape == (0, 3, 5, 5)
    assert log.probabilities.shape == (0, 3, 4)
    assert log.loss.shape == (0, 3)


# ------------------------------------------------------------------------------------------------------ behaviour


@pytest.mark.parametrize("name", ["W", "KQ"])
@pytest.mark.parametrize("head", HEADS)
def test_plain_descent_with_a_small_step_lowers_the_loss_every_time(head, name):
    p = draw(HEADS[head].draw, range(5), 3, 4, 6)
    log = train(p, HEADS[head].build, name, plain(0.05), steps=60, every=1)
    assert (np.diff(log.loss, axis=1) < 0).all()
    # first order: the loss falls by η‖∇L‖², to second order in η (measured: within 0.9 %)
    fall = -np.diff(log.loss, axis=1)
    np.testing.assert_allclose(fall, 0.05 * log.gradient_norm[:, :-1] ** 2, rtol=0.02)


def changed(p, **arrays):
    return Problems.from_arrays(p.arrays() | arrays)


@pytest.mark.parametrize("name", ["W", "KQ"])
def test_permuting_tokens_permutes_probabilities_and_leaves_the_weights(name):
    p = draw(relu, [1, 2, 3], 3, 5, 6)
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
    p = draw(gaussian, [5, 6], 3, 4, 5)
    R, U = (np.linalg.qr(np.random.default_rng(k).normal(size=(5, 5)))[0] for k in (0, 1))
    turned = changed(p, tokens=p.tokens @ R.T, queries=p.queries @ U.T, head=p.head @ R.T)
    run = partial(train, head=LinearHead, parametrisation="W", rule=published(0.1), steps=100, every=50, start="zero")
    a, b = run(p), run(turned)
    np.testing.assert_allclose(b.weights, R @ a.weights @ U.T, rtol=0, atol=1e-9)
    np.testing.assert_allclose(b.probabilities, a.probabilities, rtol=0, atol=1e-9)
    assert np.abs(a.weights[:, -1]).max() > 1


# -------------------------------------------------------------------------------- saturation, masks and degenerate data


def long_double_gradient(tokens, queries, labels, v, W):
    """∇_W L of one instance with a linear head in extended precision, whose exponents reach e^−11000."""
    X, Z, Y, v, W = (np.asarray(x, dtype=np.longdouble) for x in (tokens, queries, labels, v, W))
    total = np.zeros_like(W)
    for i in range(len(X)):
        logits = X[i] @ W @ Z[i]
        p = np.exp(logits - logits.max())
        p /= p.sum()
        best, score = logits.argmax(), X[i] @ v
        losing = np.arange(len(p)) != best
        slope = score - score[best]
        share = p * (slope - (p * slope)[losing].sum())
        share[best] = -share[losing].sum()
        f = (p * score).sum()
        total += -Y[i] / (1 + np.exp(Y[i] * f)) / len(X) * np.outer(share @ X[i], Z[i])
    return total


@pytest.mark.parametrize("size", [1.0, 100.0, 3000.0])
def test_the_exact_direction_holds_at_any_norm_of_the_weights(size):
    """At ‖W‖ ≈ 12000 the gradient is e^−1000 and below: zero in float64, and its direction still right."""
    p = draw(gaussian, range(32), 3, 4, 4)
    W = size * np.random.default_rng(0).normal(size=(32, 4, 4))
    smallest = 1.0
    for device in ("cpu", "cpu:0"):  # compiled, and torch
        log = train(p, LinearHead, "W", exact(1.0), 1, 1, start=W, device=device)
        for s in range(32):
            true = long_double_gradient(p.tokens[s], p.queries[s], p.labels[s], p.head[s], W[s])
            norm = np.sqrt((true**2).sum())
            smallest = min(smallest, norm)
            step = log.weights[s, 0] - log.weights[s, 1]
            # The step is one, the weights `size`: their difference is known to size · 1e-15, logits alike.
            assert np.abs(step - (true / norm).astype(float)).max() <= 1e-11 * size
    if size == 3000.0:
        assert smallest < np.longdouble(10) ** -310  # below every float64


def test_published_steps_shrink_to_nothing_where_exact_ones_do_not():
    p = draw(gaussian, range(32), 3, 4, 6)
    moved = {}
    for name, rule in (("published", published(0.1)), ("exact", exact(0.1))):
        log = train(p, LinearHead, "W", rule, 4000, np.array([3999, 4000]))
        moved[name] = np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2))
    assert np.median(moved["published"]) < 0.01
    assert np.allclose(moved["exact"], 0.1, rtol=1e-9)


def test_shut_out_tokens_get_no_probability():
    p = draw(gaussian, range(5), 2, 3, 4)
    log = train(p, LinearHead, "W", published(0.1), 50, 50, attention="causal")
    probabilities = log.probabilities.reshape(5, 2, 3, 3)
    assert (probabilities[:, :, np.arange(3)[:, None] < np.arange(3)] == 0).all()
    assert np.allclose(probabilities.sum(-1), 1.0, rtol=1e-14)


def test_one_token_a_query_trains_to_a_standstill():
    """Nothing competes, the gradient is zero, and no rule divides zero by zero."""
    p = draw(gaussian, range(5), 2, 1, 4)
    for rule in (published(0.1), exact(0.1), plain(0.5)):
        log = train(p, LinearHead, "W", rule, 5, 5)
        assert np.isfinite(log.weights).all()
        assert (log.weights[:, -1] == log.weights[:, 0]).all()


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
@pytest.mark.parametrize("parametrisation", ["W", "KQ"])
def test_identical_tokens_stall_an_exact_run_and_never_throw_it(parametrisation, device):
    """A tie hides how small the other inputs' gradients are: below 1e-140 of it they are lost, by no step at all."""
    p = draw(gaussian, [1], 2, 2, 1)  # d = 1: unit tokens are ±1, and one input has two alike
    log = train(p, LinearHead, parametrisation, exact(0.1), 3000, 1, device=device)
    assert np.abs(np.diff(log.weights[0, :, 0, 0])).max() < 50  # steps of 0.1 on factors of size 0.1·k at most
    assert np.isfinite(log.weights).all()


def test_a_setting_of_numpy_is_the_setting():
    problems = draw(gaussian, range(2), n=2, T=3, d=2)
    run = partial(train, problems, LinearHead, "W")
    plain_run = run(exact(0.125), 300, 7)
    for every in (np.uint8(7), np.array(7), plain_run.steps.tolist()):
        other = run(
            exact(np.float32(0.125)), np.int64(300), every, start=np.str_("uniform"), attention=np.str_("cross")
        )
        np.testing.assert_array_equal(other.steps, plain_run.steps)
        np.testing.assert_array_equal(other.weights, plain_run.weights)


@pytest.mark.parametrize(
    "hidden", [lambda array: np.where(array > 0, array, np.nan), lambda array: np.ma.masked_less(array, 0)]
)
def test_padding_that_is_hidden_in_the_numbers_is_refused(hidden):
    """Masked tokens would count, and one NaN makes every weight NaN."""
    given = draw(gaussian, range(2), n=2, T=3, d=2)
    problems = Problems(hidden(given.tokens), given.queries, given.labels, given.head, given.seeds)
    with pytest.raises(ValueError, match=r"^tokens: expected finite numbers, none of them masked"):
        train(problems, LinearHead, "W", exact(0.1), 2, 1)
