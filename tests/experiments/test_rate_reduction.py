"""Coding rates and CRATE: layers against the formulas in words, rates by eigenvalues, alignments by least squares."""

from functools import cache

import drawing
import numpy as np
import pytest
import torch
from by_hand import cosine_on, rows_of, winners

from attnsvm.experiments.rate_reduction import descent, figure, layers, svm
from attnsvm.experiments.rate_reduction.problems import cells, digits, problems
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


def test_both_layers_have_the_same_number_of_parameters():
    counts = {kind: sum(np.prod(shape) for shape in layers.sizes(kind, 20, 2).values()) for kind in layers.LAYERS}
    assert counts == {"plain": 800, "crate": 800}


def by_hand(kind, layer, s, X, z):
    """One input: the formulas of `layers`, head by head."""
    moved = z.copy()
    for h in range(2):
        if kind == "plain":
            K, Q, V, out = (layer[name][s, h] for name in "KQVO")
        else:
            K = Q = V = out = layer["U"][s, h]
        scores = np.array([(K.T @ x) @ (Q.T @ z) for x in X]) / np.sqrt(K.shape[1])
        p = np.exp(scores) / np.exp(scores).sum()
        moved = moved + out @ (V.T @ sum(w * x for w, x in zip(p, X, strict=True)))
    return moved


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


def test_a_symmetric_random_head_has_the_spectrum():
    U = np.random.default_rng(0).normal(size=(8, 3))
    A = svm.symmetric_head(U @ U.T, np.random.default_rng(1))
    np.testing.assert_allclose(A, A.T, atol=1e-12)
    expected = np.r_[np.zeros(5), np.sort(np.linalg.svd(U)[1] ** 2)]
    np.testing.assert_allclose(np.linalg.eigvalsh(A), expected, atol=1e-10)


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


def test_the_table_is_its_definition(run):
    found = {}
    for _, s, p, trained, _ in run.each():
        X, Z, Y = p["tokens"][s, 12:], p["queries"][s, 12:], p["labels"][s, 12:]
        for kind in layers.LAYERS:
            at = {name: x[s : s + 1, -1] for name, x in trained["layers"][kind].items()}
            z = np.stack([by_hand(kind, at, 0, x, q) for x, q in zip(X, Z, strict=True)])
            right = np.mean(layers.read_out(kind, at, z[None], 0.1, 0.1)[0] * Y > 0)
            found.setdefault((kind, "accuracy"), []).append(right)
            W, picked, others = layers.scoring(kind, at)[0], [], []
            for A in W:
                scores = [x @ A @ q for x, q in zip(X, Z, strict=True)]
                chosen = [int(a.argmax()) for a in scores]
                picked.append(layers.coding_rate(np.stack([x[a] for x, a in zip(X, chosen, strict=True)]), 0.5))
                rest = np.concatenate([np.delete(x, a, 0) for x, a in zip(X, chosen, strict=True)])
                others.append(layers.coding_rate(rest, 0.5))
                peaks = [np.exp(a - a.max()).max() / np.exp(a - a.max()).sum() for a in scores]
                found.setdefault((kind, f"peak{len(picked)}"), []).append(np.mean(peaks))
            found.setdefault((kind, "rate_selected"), []).append(np.mean(picked))
            found.setdefault((kind, "rate_others"), []).append(np.mean(others))
            after = np.concatenate([[by_hand(kind, at, 0, x, token) for token in x] for x in X])
            found.setdefault((kind, "rate_after_all"), []).append(layers.coding_rate(after, 0.5))
    for kind in layers.LAYERS:
        found[kind, "peak"] = np.add(found.pop((kind, "peak1")), found.pop((kind, "peak2"))) / 2
    table = run.table[run.table.step == 20].set_index(["layer", "quantity"])
    for key, values in found.items():
        assert table.loc[key, "value"] == pytest.approx(np.mean(values), rel=1e-8), key
        half = 1.96 * np.std(values, ddof=1) / np.sqrt(3)
        assert table.loc[key, "high"] - table.loc[key, "value"] == pytest.approx(half, rel=1e-4, abs=1e-10), key
    lead = np.subtract(found["crate", "accuracy"], found["plain", "accuracy"])
    assert table.loc[("crate", "accuracy_over_plain"), "value"] == pytest.approx(lead.mean(), abs=1e-12)


def test_the_ways_are_drawn():
    made = drawing.released("rate_reduction", "value", "low", "high")
    ways = made[
        made.quantity.isin(
            ["accuracy", "peak", "rate_selected", "rate_after_selected", "rate_chance", "rate_after_chance"]
        )
    ]
    ends = made[made.quantity.isin(["alignment_own", "alignment_random", "alignment_symmetric", "predicted_own"])]
    drawing.assert_drawn(figure.draw, made, ways[["step", "value"]], y=ends["value"])
