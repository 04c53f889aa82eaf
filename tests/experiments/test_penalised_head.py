"""A head that prefers mixtures: its draws, the best attention there is, the table.

The best attention is compared with the optimality conditions, and with descent.
"""

from functools import partial

import numpy as np
import pytest
import torch
from by_hand import cosine, softmax_of

from attnsvm.analysis.selection import scores
from attnsvm.data.draws import draw
from attnsvm.experiments.paper.penalised_head.measures import best_attention
from attnsvm.experiments.paper.penalised_head.problems import orthonormal
from attnsvm.svm import finite_part, separation, solve
from attnsvm.training import PenalisedHead, plain, train

SEEDS = [0, 1, 5, 77]
SHAPES = [(1, 10, 10), (3, 2, 2), (2, 1, 1)]
SMALL = {
    "problems": {"n": 2, "d": 5, "first_seed": 0, "instances": 6},
    "descent": {"steps": 2000, "learning_rate": 0.1, "penalties": [0.05, 0.5, 8.0]},
}
SCORES = np.random.default_rng(0).normal(size=(4, 3, 7))
PENALTIES = (1e-3, 0.05, 0.3, 1.0, 10.0)


@pytest.mark.parametrize("shape", SHAPES)
def test_tokens_are_orthonormal_and_the_left_singular_vectors_of_the_draw(shape):
    n, T, d = shape
    batch = draw(orthonormal, SEEDS, *shape)
    gram = batch.tokens @ batch.tokens.swapaxes(2, 3)
    assert np.abs(gram - np.eye(T)).max() <= 1e-14
    assert (batch.labels == 1).all()
    for k, seed in enumerate(SEEDS):
        g = torch.Generator().manual_seed(seed)
        v, drawn, Z = (torch.randn(size, generator=g).double().numpy() for size in ((d,), (n, T, d), (n, d)))
        # The draws are v, tokens, queries, and each is divided by its length in float32.
        np.testing.assert_allclose(batch.head[k], v / np.linalg.norm(v), rtol=0, atol=3e-7)
        np.testing.assert_allclose(batch.queries[k], Z / np.linalg.norm(Z, axis=1, keepdims=True), rtol=0, atol=3e-7)
        # U of U Σ Vᵀ turns the rows to the lengths Σ: Uᵀ(M Mᵀ)U is diagonal, falling.
        for U, M in zip(batch.tokens[k], drawn, strict=True):
            turned = U.T @ M @ M.T @ U
            assert np.abs(turned - np.diag(np.diag(turned))).max() <= 1e-12 * turned.max()
            assert (np.diff(np.diag(turned)) <= 0).all()


def test_the_table_is_its_definition(run):
    table = run.table.set_index(["solution", "lambda", "seed"])
    left_out = 0
    for _, s, p, trained, _ in run.each():
        X, Z = p["tokens"][s], p["queries"][s]
        score = np.array([[p["head"][s] @ x for x in tokens] for tokens in X])
        for penalty in SMALL["descent"]["penalties"]:
            W, attention = (trained[f"{penalty}"][key][s] for key in ("weights", "probabilities"))
            again = [softmax_of(x, W, z) for x, z in zip(X, Z, strict=True)]
            np.testing.assert_allclose(attention, again, rtol=0, atol=1e-12)
            chosen, best = attention > 1e-3, best_attention(score, penalty)
            mm, fin = solve(separation(X, Z, chosen)).W, solve(finite_part(X, Z, chosen, attention)).W
            row = table.loc["svmeq", penalty, p["seeds"][s]]
            scale = np.linalg.lstsq(mm.reshape(-1, 1), (W - fin).ravel())[0][0] if mm.any() else 0.0
            assert row.value == pytest.approx(1 - cosine(W, fin + scale * mm), abs=1e-9)
            assert row.selected == chosen.sum() / 2
            assert row.optimal == (best > 1e-3).sum() / 2
            assert row.distance == pytest.approx(np.abs(attention - best).max(), abs=1e-15)
            assert (("mm", penalty, p["seeds"][s]) in table.index) == (not chosen.all())
            if not chosen.all():
                left_out += 1
                row = table.loc["mm", penalty, p["seeds"][s]]
                assert row.value == pytest.approx(1 - cosine(W, mm), abs=1e-9)
    assert 6 <= left_out < 18
    averages = run.table.groupby("lambda").selected.mean()
    assert averages.is_monotonic_increasing
    assert averages.iloc[-1] > averages.iloc[0] + 2


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_best_attention_meets_the_optimality_conditions(penalty):
    p = best_attention(SCORES, penalty)
    assert (p >= 0).all()
    # Rounding of a sum of seven terms of the size of γ/(2·penalty).
    room = 1e-15 * np.abs(SCORES).max() / penalty + 1e-14
    assert np.abs(p.sum(-1) - 1).max() <= 7 * room
    slope = SCORES - 2 * penalty * p
    for place in np.ndindex(4, 3):
        inside = p[place] > 0
        level = slope[place][inside]
        assert np.ptp(level) <= 1e-13  # one multiplier for all tokens attended to
        assert (slope[place][~inside] <= level.min() + 1e-13).all()


@pytest.fixture(scope="module")
def problems():
    return draw(orthonormal, range(24), 1, 6, 6)


def objective(score, p, penalty):
    return (score * p).sum(-1) - penalty * (p**2).sum(-1)


@pytest.mark.parametrize("penalty", [0.01, 0.05, 0.1, 0.3, 1.0])
def test_plain_descent_from_zero_goes_to_the_best_attention(problems, penalty):
    log = train(problems, partial(PenalisedHead, penalty=penalty), "W", plain(10.0), 5000, np.array([0, 5000]), "zero")
    score = scores(problems.tokens, problems.head, problems.labels)
    best = best_attention(score, penalty)
    lack = objective(score, best, penalty) - objective(score, log.probabilities, penalty)
    # The logits of vanishing tokens run off like log k, the objective goes like 1/k: 2.4e-4 was the most after 5000.
    assert lack.max() <= 1e-3
    # No attention does better, to the rounding of the objective: orthonormal tokens make ‖Xᵀp‖ = ‖p‖.
    assert lack.min() >= -1e-15
    assert (objective(score, best, penalty) - objective(score, np.full(6, 1 / 6), penalty)).max() > 0.05
    # The loss that descent reports is that of the head on the mixture of tokens.
    assert np.allclose(
        log.loss[:, 1], np.log1p(np.exp(-objective(score, log.probabilities, penalty)))[:, 0], rtol=1e-12
    )
