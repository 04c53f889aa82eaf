"""The compiled loop against torch and against autograd: every head × parametrisation × rule × attention."""

from itertools import product

import numpy as np
import pytest
import torch

from attnsvm.training import descent, kernels
from attnsvm.training.loss import evaluate
from attnsvm.inputs import ATTENTIONS, Inputs
from attnsvm.training.descent import train
from attnsvm.training.heads import LinearHead, PenalisedHead, ReluHead
from attnsvm.training.weights import FullWeights
from attnsvm.draws import draw, gaussian, relu
from attnsvm.training.steps import exact, plain, published

HEADS = {
    "linear": (gaussian, LinearHead),
    "relu": (relu, ReluHead),
    "penalised": (gaussian, lambda v: PenalisedHead(v, 0.3)),
}
RULES = {"published": published(0.1), "exact": exact(0.1), "plain": plain(0.5)}


def problems(head, S=5, n=2, T=3, d=4):
    return draw(HEADS[head][0], range(S), n, T, d)


@pytest.mark.parametrize(("head", "kind", "rule", "attention"), list(product(HEADS, ("W", "KQ"), RULES, ATTENTIONS)))
def test_the_compiled_loop_follows_torch(head, kind, rule, attention):
    arguments = problems(head), HEADS[head][1], kind, RULES[rule], 40, 10
    ours = train(*arguments, attention=attention)
    theirs = train(*arguments, attention=attention, device="cpu:0")  # any device but "cpu" runs in torch
    for name in ("weights", "largest", "loss", "gradient_norm", "probabilities"):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.shape == other.shape
        # 40 steps before saturation amplify a rounding error of 1e-16 to about 1e-13.
        assert np.allclose(one, other, rtol=1e-10, atol=1e-12), name


def reference_loss(problem, s, logits_of, head, attention):
    """The loss of one instance from its definition, batch of one, in autograd: queries and masks written out."""
    X, Y = torch.from_numpy(problem.tokens[s]), problem.labels[s]
    n, T, _ = X.shape
    v = torch.from_numpy(problem.head[s])
    losses = []
    for i in range(n):
        places = range(T) if attention in ("sequence", "causal") else [0]
        for k in places:
            z = {"cross": torch.from_numpy(problem.queries[s, i]), "self": X[i, 0]}.get(attention, X[i, k])
            seen = X[i, : k + 1] if attention == "causal" else X[i]
            out = torch.softmax(logits_of(seen, z), 0) @ seen
            f = {
                "linear": lambda x: x @ v,
                "relu": lambda x: torch.relu(x @ v).sum(),
                "penalised": lambda x: x @ v - 0.3 * x @ x,
            }[head](out)
            losses.append(torch.nn.functional.softplus(-Y[i] * f))
    return torch.stack(losses).mean()


@pytest.mark.parametrize(("head", "attention"), list(product(HEADS, ATTENTIONS)))
def test_one_plain_step_on_W_is_the_gradient_of_autograd(head, attention):
    p = problems(head)
    log = train(p, HEADS[head][1], "W", plain(1.0), 1, 1, attention=attention)
    for s in range(len(p)):
        W = torch.tensor(log.weights[s, 0], requires_grad=True)
        loss = reference_loss(p, s, lambda X, z, W=W: X @ (W @ z), head, attention)
        (gradient,) = torch.autograd.grad(loss, W)
        gradient = gradient.numpy()
        assert np.isclose(log.loss[s, 0], loss.item(), rtol=1e-13)
        step = log.weights[s, 0] - log.weights[s, 1]
        # 1e-12 of the gradient, and what rounding W itself costs in the difference.
        assert np.abs(step - gradient).max() <= 1e-12 * np.abs(gradient).max() + 4e-16
        assert np.isclose(log.gradient_norm[s, 0], np.linalg.norm(gradient), rtol=1e-12)


@pytest.mark.parametrize(("head", "attention"), list(product(HEADS, ATTENTIONS)))
def test_one_plain_step_on_K_and_Q_is_the_gradient_of_autograd(head, attention):
    p = problems(head)
    log = train(p, HEADS[head][1], "KQ", plain(1.0), 1, 1, attention=attention)
    factors = descent.factored_weights(
        *(torch.from_numpy(x) for x in (p.tokens, p.queries)), p.seeds, "uniform", plain(1.0)
    )
    for s in range(len(p)):
        K, Q = (factor[..., s].clone().requires_grad_() for factor in (factors.K, factors.Q))
        loss = reference_loss(p, s, lambda X, z, K=K, Q=Q: X @ (K @ (Q.T @ z)), head, attention)
        grad_K, grad_Q = torch.autograd.grad(loss, (K, Q))
        after = ((K - grad_K) @ (Q - grad_Q).T).detach().numpy()
        assert np.allclose(log.weights[s, 1], after, rtol=0, atol=1e-14)
        norm = torch.sqrt((grad_K**2).sum() + (grad_Q**2).sum()).item()
        assert np.isclose(log.gradient_norm[s, 0], norm, rtol=1e-12)


@pytest.mark.parametrize("start", ["uniform", "zero"])
def test_fewer_columns_than_dimensions(start):
    """m < d: the compiled loop and torch agree, and W has rank m."""
    arguments = problems("linear"), LinearHead, "KQ", published(0.1), 20, 20
    ours, theirs = (train(*arguments, start=start, m=2, device=device) for device in ("cpu", "cpu:0"))
    assert np.allclose(ours.weights, theirs.weights, atol=1e-12)
    assert (np.linalg.matrix_rank(ours.weights[:, -1]) == 2).all()


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
    p = problems("linear", S=32, n=3, T=4)
    W = torch.from_numpy(size * np.random.default_rng(0).normal(size=(32, 4, 4)))
    tokens, queries = torch.from_numpy(p.tokens), torch.from_numpy(p.queries)
    head = LinearHead(torch.from_numpy(p.head))
    values = head.values(tokens.permute(1, 2, 3, 0).contiguous())
    smallest = 1.0
    for run in (descent._compiled, descent._in_torch):
        weights = FullWeights(tokens, queries, W.clone())
        log = run(ATTENTIONS["cross"](p), head, values, weights, exact(1.0), np.array([0, 1]))
        for s in range(32):
            true = long_double_gradient(p.tokens[s], p.queries[s], p.labels[s], p.head[s], W[s].numpy())
            norm = np.sqrt((true**2).sum())
            smallest = min(smallest, norm)
            step = log.weights[s, 0] - log.weights[s, 1]
            # The step is one, the weights `size`: their difference is known to size · 1e-15, logits alike.
            assert np.abs(step - (true / norm).astype(float)).max() <= 1e-11 * size
    if size == 3000.0:
        assert smallest < np.longdouble(10) ** -310  # below every float64


def test_published_steps_shrink_to_nothing_where_exact_ones_do_not():
    p = problems("linear", S=32, n=3, T=4, d=6)
    moved = {}
    for name, rule in (("published", published(0.1)), ("exact", exact(0.1))):
        log = train(p, LinearHead, "W", rule, 4000, np.array([3999, 4000]))
        moved[name] = np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2))
    assert np.median(moved["published"]) < 0.01
    assert np.allclose(moved["exact"], 0.1, rtol=1e-9)


def test_the_compiled_exponential():
    from numba import njit

    exponential = kernels.exp

    @njit
    def many(x):
        return np.array([exponential(a) for a in x])

    x = np.concatenate([np.linspace(-708, 700, 20001), -np.logspace(-18, 2, 2001), [0.0]])
    # The reference rounds to half a unit of the last place; ours to two.
    assert np.abs(many(x) / np.exp(x) - 1).max() <= 2 * np.finfo(float).eps
    assert (many(np.array([-709.0, -1e6, -np.inf])) == 0).all()


def test_shut_out_tokens_get_no_probability():
    p = problems("linear")
    log = train(p, LinearHead, "W", published(0.1), 50, 50, attention="causal")
    probabilities = log.probabilities.reshape(5, 2, 3, 3)
    assert (probabilities[:, :, np.arange(3)[:, None] < np.arange(3)] == 0).all()
    assert np.allclose(probabilities.sum(-1), 1.0, rtol=1e-14)


def test_attentions_lay_out_their_queries():
    p = problems("linear", n=2, T=3)
    assert (ATTENTIONS["self"](p).queries == p.tokens[:, :, 0]).all()
    inputs: Inputs = ATTENTIONS["causal"](p)
    assert inputs.tokens.shape == (5, 6, 3, 4)
    for i, k in product(range(2), range(3)):
        assert (inputs.queries[:, 3 * i + k] == p.tokens[:, i, k]).all()
        assert (inputs.tokens[:, 3 * i + k] == p.tokens[:, i]).all()
        assert inputs.allowed[3 * i + k].tolist() == [t <= k for t in range(3)]


def test_one_token_a_query_trains_to_a_standstill():
    """Nothing competes, the gradient is zero, and no rule divides zero by zero."""
    p = problems("linear", T=1)
    for rule in RULES.values():
        log = train(p, LinearHead, "W", rule, 5, 5)
        assert np.isfinite(log.weights).all()
        assert (log.weights[:, -1] == log.weights[:, 0]).all()


def test_evaluate_is_finite_when_every_other_token_is_shut_out():
    logits = torch.tensor([[[0.0], [-torch.inf]]], dtype=torch.float64)
    values = torch.ones((1, 2, 1, 1), dtype=torch.float64)
    at = evaluate(logits, values, torch.ones((1, 1), dtype=torch.float64), LinearHead(torch.ones(1, 1)))
    assert torch.isfinite(at.direction).all()
    assert (at.logit_gradient == 0).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_a_gpu_gives_the_same_runs():
    arguments = problems("relu"), ReluHead, "KQ", published(0.1), 40, 10
    ours, theirs = train(*arguments), train(*arguments, device="cuda")
    assert np.allclose(ours.weights, theirs.weights, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("n", "T", "d", "m"), [(2, 3, 16, 16), (3, 3, 8, 8), (2, 2, 12, 3), (5, 5, 30, 40)])
@pytest.mark.parametrize("rule", [exact(0.1), plain(1.0)], ids=["exact", "plain"])
def test_descent_in_fewer_coordinates_is_the_same_descent(n, T, d, m, rule):
    """The compiled loop moves (K, Q) in the spans of tokens and queries; torch moves every entry."""
    p = draw(gaussian, range(3), n, T, d)
    ours, theirs = (train(p, LinearHead, "KQ", rule, 60, 20, m=m, device=device) for device in ("cpu", "cpu:0"))
    # 60 steps amplify rounding by a few orders.
    assert np.allclose(ours.weights, theirs.weights, rtol=0, atol=1e-12)
    assert np.allclose(ours.gradient_norm, theirs.gradient_norm, rtol=1e-9)
    assert np.allclose(ours.probabilities, theirs.probabilities, atol=1e-12)


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
@pytest.mark.parametrize("parametrisation", ["W", "KQ"])
def test_identical_tokens_stall_an_exact_run_and_never_throw_it(parametrisation, device):
    """A tie hides how small the other inputs' gradients are: below 1e-140 of it they are lost, by no step at all."""
    p = draw(gaussian, [1], 2, 2, 1)  # d = 1: unit tokens are ±1, and one input has two alike
    log = train(p, LinearHead, parametrisation, exact(0.1), 3000, 1, device=device)
    assert np.abs(np.diff(log.weights[0, :, 0, 0])).max() < 50  # steps of 0.1 on factors of size 0.1·k at most
    assert np.isfinite(log.weights).all()
