"""Loss, softmax and gradient against their definitions, and their limits."""

import numpy as np
import pytest
import torch
from training_references import S, batch, engine_pass, n, parametrised

from attnsvm.training import LinearHead
from attnsvm.training.on_device import FullWeights, evaluate


def test_probabilities_are_the_softmax_of_each_inputs_logits():
    X, Z, Y, weights = batch("linear")
    _, W, mine = parametrised("W", X, Z)
    at = engine_pass("linear", mine, X, Y, weights)
    for s in range(S):
        for i in range(n):
            e = np.exp((X[s, i] @ W[s] @ Z[s, i]).detach().numpy())
            np.testing.assert_allclose(at.probabilities[i, :, s], e / e.sum(), rtol=1e-12)


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


def test_evaluate_is_finite_when_every_other_token_is_shut_out():
    logits = torch.tensor([[[0.0], [-torch.inf]]], dtype=torch.float64)
    values = torch.ones((1, 2, 1, 1), dtype=torch.float64)
    at = evaluate(logits, values, torch.ones((1, 1), dtype=torch.float64), LinearHead(torch.ones(1, 1)))
    assert torch.isfinite(at.direction).all()
    assert (at.logit_gradient == 0).all()
