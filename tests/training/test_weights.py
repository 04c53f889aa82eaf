"""W and (K, Q) in torch: logits, gradients and steps against autograd."""

import pytest
import torch
from training_references import HEADS, S, T, batch, d, engine_pass, n, parametrised, rand, reference_loss, relative

from attnsvm.training import published
from attnsvm.training.on_device import FullWeights, norm_of


@pytest.mark.parametrize("name", ["W", "KQ", "KQ thin", "KQ wide"])
@pytest.mark.parametrize("head", HEADS)
def test_loss_and_gradient_agree_with_autograd(head, name):
    X, Z, Y, weights = batch(head)
    factors, W, mine = parametrised(name, X, Z)
    loss = reference_loss(HEADS[head].h, X, Z, Y, weights, W)
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
    assert relative(norm_of(gradients), norm) < 1e-12


def test_normalised_step_moves_each_factor_by_the_learning_rate():
    X, Z, Y, weights = batch("linear")
    for name in ("W", "KQ thin"):
        factors, W, mine = parametrised(name, X, Z)
        loss = reference_loss(HEADS["linear"].h, X, Z, Y, weights, W).sum()
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


@pytest.mark.parametrize("name", ["W", "KQ", "KQ thin"])
def test_a_gradient_needs_no_call_of_logits_before_it(name):
    X, Z, Y, weights = batch("linear")
    _, _, asked = parametrised(name, X, Z)
    _, _, silent = parametrised(name, X, Z)
    slope = engine_pass("linear", asked, X, Y, weights).logit_gradient
    for _ in range(3):  # from the second on, it is the gradient at weights that a step has moved
        asked.logits()
        for one, other in zip(asked.gradient(slope), silent.gradient(slope), strict=True):
            assert torch.equal(one, other)
        asked.step(slope, published(0.1))
        silent.step(slope, published(0.1))
    assert torch.equal(asked.logits(), silent.logits())
    # 1e-12: sums of a few hundred products; FullWeights follows its logits through three steps
    expected = torch.einsum("sntd,sde,sne->nts", X, silent.weights(), Z)
    assert relative(silent.logits(), expected) < 1e-12
    if name != "W":
        K, Q = (factor.permute(2, 0, 1) for factor in (silent.K, silent.Q))
        mixed = torch.einsum("nts,sntd->snd", slope, X)
        of_K, of_Q = torch.einsum("snd,sne,sem->sdm", mixed, Z, Q), torch.einsum("snd,sne,sdm->sem", mixed, Z, K)
        for gradient, own, factor in zip(silent.gradient(slope), (of_K, of_Q), (K, Q), strict=True):
            assert relative(gradient, own + 2 * 0.05 * factor) < 1e-12
