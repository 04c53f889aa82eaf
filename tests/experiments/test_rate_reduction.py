"""Coding rates and CRATE: layers against the formulas in words, rates by eigenvalues, alignments by least squares."""

from functools import cache

import numpy as np
import pytest
import torch
from by_hand import cosine_on, rows_of, winners

from attnsvm.experiments.summaries.rate_reduction import descent, layers
from attnsvm.experiments.summaries.rate_reduction.problems import cells, digits, problems
from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 24, "first_seed": 5, "instances": 3},
    "descent": {"steps": 20, "points": 3, "batch": 6, "learning_rate": 0.05},
    "svm": {"fitted": 6, "draws": 2},
}
HOW = {"heads": 2, "batch": 6, "learning_rate": 0.05, "ista_step": 0.1, "sparsity": 0.1}


@cache
def drawn():
    return problems(cells({"n": 20, "first_seed": 3, "instances": 2})[0], {})


@pytest.fixture(params=layers.LAYERS)
def kind(request):
    return request.param


@pytest.fixture
def layer(kind):
    return descent.start(kind, drawn(), 2)


def test_inputs_are_digits_with_their_labels_and_mean():
    tokens, even = digits()
    for s in range(2):
        for i in range(20):
            (k,) = np.flatnonzero((tokens == drawn().tokens[s, i]).all((1, 2)))[:1]
            assert even[k] == drawn().labels[s, i]
            np.testing.assert_allclose(drawn().queries[s, i], drawn().tokens[s, i].sum(0) / 16, atol=1e-15)
    assert set(even) == {-1.0, 1.0}


def test_ista_is_a_proximal_gradient_step():
    """x ← prox of ηλ‖x‖₁ over x ≥ 0 at x − η∇½‖z − Dx‖², from x = z."""
    layer, rng = descent.start("crate", drawn(), 2), np.random.default_rng(0)
    z = rng.normal(size=(2, 20, 20))
    found = layers.read_out("crate", layer, z, 0.1, 0.3)
    for s in range(2):
        for i in range(3):
            x = torch.tensor(z[s, i], requires_grad=True)
            (0.5 * (torch.tensor(z[s, i]) - torch.tensor(layer["D"][s]) @ x).square().sum()).backward()
            step = (x - 0.1 * x.grad).detach().numpy()
            expected = np.maximum(step - 0.1 * 0.3, 0) @ layer["v"][s]
            assert found[s, i] == pytest.approx(expected, rel=1e-10)


def test_what_is_trained_is_the_same_layer(kind, layer):
    given = {name: torch.tensor(x) for name, x in layer.items()}
    found = descent.predicted(kind, given, torch.tensor(drawn().tokens), torch.tensor(drawn().queries), HOW)
    z, _ = layers.attended(kind, layer, drawn().tokens, drawn().queries[:, :, None])
    np.testing.assert_allclose(found, layers.read_out(kind, layer, z[:, :, 0], 0.1, 0.1), rtol=1e-10, atol=1e-12)


def test_the_rate_is_that_of_the_gram_matrix():
    Z = np.random.default_rng(0).normal(size=(3, 7, 4))
    unit = Z / np.sqrt((Z**2).sum(-1, keepdims=True))
    eigenvalues = np.linalg.eigvalsh(unit @ unit.swapaxes(1, 2))
    expected = 0.5 * np.log1p(4 / (7 * 0.25) * np.maximum(eigenvalues, 0)).sum(-1)
    np.testing.assert_allclose(layers.coding_rate(Z, 0.5), expected, rtol=1e-10)
    np.testing.assert_allclose(layers.coding_rate(5 * Z, 0.5), expected, rtol=1e-10)
    # One direction alone: ½ log(1 + d/ε²).
    np.testing.assert_allclose(layers.coding_rate(np.ones((6, 4)), 0.5), 0.5 * np.log(1 + 4 / 0.25), rtol=1e-12)


def test_the_alignment_and_the_prediction_are_their_definitions(run):
    _, p, trained, solved = run.cells[0]
    for kind in layers.LAYERS:
        W = layers.scoring(kind, {name: x[:, -1] for name, x in trained["layers"][kind].items()})
        found = solved[kind]["own"]
        for h in range(2):
            X, Z = p["tokens"][0, 12:], p["queries"][0, 12:]
            chosen = winners(X, W[0, h], Z)
            best = solve(separation(X[:6], Z[:6], chosen[:6])).W
            cosine = cosine_on(rows_of(X[:6], Z[:6], chosen[:6]), W[0, h], best)
            # The projections of inspect have a ridge of 1e-10.
            assert found["alignment"][0, h, 0] == pytest.approx(cosine, abs=1e-5)
            right = winners(X[6:], best, Z[6:]) == chosen[6:]
            assert found["predicted"][0, h, 0] == pytest.approx(np.mean(right))
        spectra = np.linalg.svd(solved[kind]["random"]["heads"][0, 0], compute_uv=False)
        np.testing.assert_allclose(spectra, np.tile(np.linalg.svd(W[0, 0])[1], (2, 1)), atol=1e-10)
