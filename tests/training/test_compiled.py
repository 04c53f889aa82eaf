"""The compiled loops against torch and against autograd: heads, parametrisations, rules, attentions."""

from itertools import product

import numpy as np
import pytest
import torch
from pairwise import pairwise

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.experiments.multi_token.problems import relu
from attnsvm.training import LinearHead, PenalisedHead, ReluHead, exact, plain, published, train
from attnsvm.training.start import factored_weights

HEADS = {
    "linear": (gaussian, LinearHead),
    "relu": (relu, ReluHead),
    "penalised": (gaussian, lambda v: PenalisedHead(v, 0.3)),
}
RULES = {"published": published(0.1), "exact": exact(0.1), "plain": plain(0.5)}


def problems(head, S=5, n=2, T=3, d=4):
    return draw(HEADS[head][0], range(S), n, T, d)


@pytest.mark.parametrize(("head", "kind", "rule", "attention"), pairwise(HEADS, ("W", "KQ"), RULES, ATTENTIONS))
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
    factors = factored_weights(p.seeds, p.tokens.shape[-1], "uniform")
    for s in range(len(p)):
        K, Q = (torch.tensor(factor[s], requires_grad=True) for factor in factors)
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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_a_gpu_gives_the_same_runs():
    arguments = problems("relu"), ReluHead, "KQ", published(0.1), 40, 10
    ours, theirs = train(*arguments), train(*arguments, device="cuda")
    assert np.allclose(ours.weights, theirs.weights, rtol=1e-10, atol=1e-12)
