"""The cone: its starts, the choices it is built around, and its table, against brute force."""

from itertools import product

import numpy as np
import pytest
from by_hand import best_tokens, cosine, winners

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.own.cone.descent import KINDS, around, choices
from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 2, "T": 3, "d": 4, "first_seed": 0, "instances": 8},
    "descent": {"steps": 500, "relative_step": 0.01, "margins": [5, 100], "apertures": [0.0, 0.3]},
}


def test_starts_have_their_correlation_and_norm():
    generator = np.random.default_rng(0)
    W_mm, seeds = generator.normal(size=(5, 4, 4)), np.arange(10, 15)
    for mu, R in product((0.0, 0.003, 0.1, 0.3, 1.0), (1.0, 1000.0)):
        starts = around(W_mm, mu, R, seeds)
        for W, target in zip(starts, W_mm, strict=True):
            # A dozen roundings; √(1 − (1 − μ)²) of a small μ doubles none of them in the cosine.
            assert cosine(W, target) == pytest.approx(1 - mu, abs=1e-14)
            assert np.linalg.norm(W) == pytest.approx(R * np.linalg.norm(target), rel=1e-14)
    again = around(W_mm[3:], 0.1, 1.0, seeds[3:])
    assert np.array_equal(again, around(W_mm, 0.1, 1.0, seeds)[3:])  # whatever the batch
    away = [W - (W * V).sum() / (V * V).sum() * V for W, V in zip(again, W_mm[3:], strict=True)]
    assert abs(cosine(*away)) < 0.7  # each seed its own direction


def test_choices_are_of_their_kind_and_drawn_from_all_of_it():
    p = draw(gaussian, range(6), 2, 3, 4)
    drawn, proofs = choices(p)
    assert {name: values.shape for name, values in proofs.items()} == dict.fromkeys(
        ("status", "gap", "low", "arithmetic"), (6, 3**2)
    )
    for s in range(6):
        X, Z, Y, v = p.tokens[s], p.queries[s], p.labels[s], p.head[s]
        members = {kind: [] for kind in KINDS}
        for k, alpha in enumerate(product(range(3), repeat=2)):
            answer = solve(separation(X, Z, np.array(alpha)))
            assert proofs["status"][s, k] == answer.status.value
            if not answer.solved:
                continue
            local = all(
                Y[i] * v @ (X[i, alpha[i]] - X[i, k]) > 0
                for i, k in np.ndindex(2, 3)
                if k != alpha[i] and (X[i, alpha[i]] - X[i, k]) @ answer.W @ Z[i] < 1 + 1e-5
            )
            if not local:
                members["not_locally_optimal"].append(alpha)
            elif alpha != tuple(best_tokens(X, Y, v)):
                members["locally_optimal"].append(alpha)
        for kind, choice in drawn.items():
            assert choice["found"][s] == bool(members[kind])
            if choice["found"][s]:
                assert tuple(choice["alpha"][s]) in members[kind]
                expected = solve(separation(X, Z, choice["alpha"][s])).W
                # A gap of 1e-10 fixes W to its root.
                np.testing.assert_allclose(choice["W"][s], expected, rtol=0, atol=1e-8)
    assert drawn["not_locally_optimal"]["found"].all()
    assert 0 < drawn["locally_optimal"]["found"].sum() < 6


def test_the_certificates_of_all_choices_are_counted(run):
    counts = run.certificates.set_index("solve")[["solved", "infeasible", "uncertified"]].sum(axis=1)
    assert counts.to_dict() == {"choices": 8 * 3**2, **dict.fromkeys(KINDS, 8)}


def test_the_table_counts_who_stayed_and_who_converged(run):
    ends = {}
    starts = list(product((5, 100), (0.0, 0.3)))
    for (_, s, p, t, _), kind in product(run.each(), KINDS):
        own = t["runs"][kind]
        if not own["found"][s]:
            continue
        alpha = own["alpha"][s]
        W_mm = solve(separation(p["tokens"][s], p["queries"][s], alpha)).W
        for k, (R, mu) in enumerate(starts):
            W = own["weights"][s, k]
            stayed = (winners(p["tokens"][s], W, p["queries"][s]) == alpha).all()
            moved = np.linalg.norm(W - around(W_mm[None], mu, R, p["seeds"][s : s + 1])[0])
            assert 0 < moved <= 500 * 0.01 * R * (1 + 1e-9)  # every step is 0.01·R long
            ends.setdefault((kind, R, mu, "stayed"), []).append(stayed)
            ends.setdefault((kind, R, mu, "converged"), []).append(stayed and cosine(W, W_mm) >= 0.9)
    assert len(run.table) == len(ends)
    for row in run.table.itertuples():
        sample = ends[row.kind, row.R, row.mu, row.end]
        assert row.instances == len(sample)
        assert row.value == np.mean(sample)
    share = run.table.set_index(["kind", "R", "mu", "end"]).value
    assert share["locally_optimal", 100, 0.0, "stayed"] == 1
    assert share["not_locally_optimal", 100, 0.0, "converged"] < 1
