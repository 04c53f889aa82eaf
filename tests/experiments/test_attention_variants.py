"""Dropout, merged tokens, no softmax: gradients against automatic ones, solutions against another solver."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.summaries.attention_variants.predictions import (
    LINEAR,
    MIXER,
    classify,
    features,
    token_weights,
)
from attnsvm.experiments.summaries.attention_variants.svm import predictions
from attnsvm.experiments.summaries.router.noise import Noise
from attnsvm.experiments.summaries.router.routing import Router, descend
from attnsvm.training.start import full_weights

PROBLEMS = draw(gaussian, range(4), 3, 5, 6)


def test_a_step_with_dropout_is_that_of_torch_with_the_same_zeros():
    (start,) = full_weights(PROBLEMS.seeds, 6, "uniform")
    drop, steps = 0.4, 5
    found = descend(PROBLEMS, Router(dropout=drop), start, 0.1, np.array([steps]))["weights"][:, 0]
    noise = Noise(PROBLEMS.seeds, (3, 5), "random")
    tokens, queries, labels, v = map(torch.tensor, (PROBLEMS.tokens, PROBLEMS.queries, PROBLEMS.labels, PROBLEMS.head))
    W = torch.tensor(start)
    for step in range(steps):
        W = W.detach().requires_grad_()
        p = torch.softmax(torch.einsum("sntd,sde,sne->snt", tokens, W, queries), -1)
        p = p * torch.tensor(noise(step, np.arange(4)) >= drop) / (1 - drop)
        output = torch.einsum("snt,sntd,sd->sn", p, tokens, v)
        torch.nn.functional.softplus(-labels * output).mean(1).sum().backward()
        W = W - 0.1 * W.grad / W.grad.norm(dim=(1, 2), keepdim=True)
    np.testing.assert_allclose(found, W.detach().numpy(), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", [LINEAR, MIXER])
def test_what_has_no_softmax_is_linear_in_its_features(kind):
    """f from the weights of the tokens, and f from the features."""
    rng = np.random.default_rng(0)
    left, right = features(PROBLEMS, kind)
    w = rng.normal(size=(4, 2, left.shape[2], right.shape[2]))
    weights = token_weights(PROBLEMS, kind, w)
    given = [np.einsum("t,td,d->", weights[s, k, i], PROBLEMS.tokens[s, i], PROBLEMS.head[s])
             for s in range(4) for k in range(2) for i in range(3)]  # fmt: skip
    found = [left[s, i] @ w[s, k] @ right[s, i] for s in range(4) for k in range(2) for i in range(3)]
    np.testing.assert_allclose(found, given, rtol=1e-10)


def test_classify_is_normalised_descent():
    left, right = features(PROBLEMS, LINEAR)
    (start,) = full_weights(PROBLEMS.seeds, 6, "uniform")
    found = classify(left, right, PROBLEMS.labels, start, 0.1, np.array([1, 4]))
    F, labels = torch.tensor(np.einsum("snp,snq->snpq", left, right)), torch.tensor(PROBLEMS.labels)
    W = torch.tensor(start)
    for step in range(1, 5):
        W = W.detach().requires_grad_()
        output = torch.einsum("snpq,spq->sn", F, W)
        torch.nn.functional.softplus(-labels * output).mean(1).sum().backward()
        W = W - 0.1 * W.grad / W.grad.norm(dim=(1, 2), keepdim=True)
        if step in (1, 4):
            np.testing.assert_allclose(found[:, int(step == 4)], W.detach().numpy(), rtol=1e-9, atol=1e-11)


def test_classify_goes_on_where_every_gradient_is_zero():
    """Margins of thousands: the next step is along the input of least margin."""
    left, right, labels = np.eye(2)[None], np.ones((1, 2, 1)), np.ones((1, 2))
    start = np.array([[[2000.0], [3000.0]]])
    found = classify(left, right, labels, start, 1.0, np.array([1]))
    np.testing.assert_allclose(found[0, 0, :, 0], [2001.0, 3000.0], rtol=1e-12)


@pytest.mark.parametrize("kind", [LINEAR, MIXER])
def test_the_solution_of_the_predictions_is_that_of_another_solver(kind):
    left, right = features(PROBLEMS, kind)
    found = predictions(left, right, PROBLEMS.labels)
    assert (found["status"] == "solved").all()
    for s in range(2):
        A = np.einsum("np,nq,n->npq", left[s], right[s], PROBLEMS.labels[s]).reshape(3, -1)
        start = np.linalg.lstsq(A, np.ones(3), rcond=None)[0]
        bound = {"type": "ineq", "fun": lambda w, A=A: A @ w - 1, "jac": lambda w, A=A: A}
        options = {"ftol": 1e-14, "maxiter": 500}
        other = minimize(lambda w: w @ w / 2, 1.5 * start, jac=lambda w: w, constraints=bound, options=options)
        # SLSQP stops at 1e-14 of the objective, and so at its root in w.
        np.testing.assert_allclose(found["W"][s].ravel(), other.x, rtol=1e-5, atol=1e-5 * np.linalg.norm(other.x))
