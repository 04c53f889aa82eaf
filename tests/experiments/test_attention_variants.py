"""Dropout, merged tokens, no softmax: gradients against automatic ones, solutions against another solver, the table."""

import drawing
import numpy as np
import pytest
import torch
from by_hand import cosine, winners
from scipy.optimize import minimize

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.attention_variants import figure
from attnsvm.experiments.attention_variants.merging import HALF, MERGED, RESCALED
from attnsvm.experiments.attention_variants.predictions import LINEAR, MIXER, classify, features, token_weights
from attnsvm.experiments.attention_variants.svm import predictions
from attnsvm.experiments.router.noise import Noise
from attnsvm.experiments.router.routing import Router, descend
from attnsvm.svm import separation, solve
from attnsvm.training.start import full_weights

SMALL = {
    "problems": {"n": 3, "T": 5, "d": 6, "first_seed": 5, "instances": 5},
    "descent": {"steps": 200, "points": 6},
}
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


def test_the_table_is_its_definition(run):
    found = {}
    for _, s, p, trained, _ in run.each():
        last = int(trained["steps"][-1])
        plain, margin = trained["runs"]["attention"]["selected"][s], {}
        for name, log in trained["runs"].items():
            X, chosen, W = p["tokens"][s], log["selected"][s], log["weights"][s, -1]
            if name in (MERGED, RESCALED, HALF):
                first, second = X[:, [0, 2]], X[:, [1, 3]]
                X = first if name == HALF else (first + second) / 2
                X = X / np.linalg.norm(X, axis=-1, keepdims=True) if name == RESCALED else X
                found.setdefault((name, "same"), []).append(np.mean(chosen == np.array([0, 0, 1, 1, 2])[plain]))
            elif name != "attention":
                found.setdefault((name, "same"), []).append(np.mean(chosen == plain))
            assert (chosen == winners(X, W, p["queries"][s])).all()
            best = solve(separation(X, p["queries"][s], chosen)).W
            margin[name] = 1 / np.sqrt((best**2).sum())
            found.setdefault((name, "distance"), []).append(1 - cosine(W, best))
        for name in (MERGED, RESCALED, HALF):
            found.setdefault((name, "margin"), []).append(margin[name] / margin["attention"])
        found.setdefault((MERGED, "margin_half"), []).append(margin[MERGED] / margin[HALF])
        W = trained["linear"][LINEAR][s, -1]
        size = np.abs(np.einsum("ntd,de,ne->nt", p["tokens"][s], W, p["queries"][s]))
        found.setdefault((LINEAR, "peak"), []).append(np.mean([one.max() / one.sum() for one in size]))
    table = run.table[run.table.step == last].set_index(["variant", "quantity"])
    for key, values in found.items():
        middle = np.mean(values) if key[1] in ("same", "peak") else np.median(values)
        assert table.loc[key, "value"] == pytest.approx(middle, rel=1e-6, abs=1e-9), key
    # No softmax: uniform weights stay what they are.
    assert table.loc[("uniform", "peak"), "value"] == pytest.approx(1 / 5, rel=1e-12)


def test_the_ways_are_drawn():
    made = drawing.released("attention_variants", "value", "low", "high")
    ways = made[made.quantity.isin(["distance", "peak", "predictions"])]
    drawn = ways[(ways.variant.isin(["attention", "linear"])) | ways.variant.str.startswith("dropout")]
    drawn = drawn[(drawn.quantity != "peak") | drawn.variant.isin(["attention", "linear"])]
    margins = made[made.quantity.str.startswith("margin")]
    drawing.assert_drawn(figure.draw, made, drawn[["step", "value"]], x=margins["value"])
