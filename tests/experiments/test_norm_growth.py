"""Norm growth: its draws, which instances meet a condition, and its table, against brute force."""

import numpy as np
import pytest
from by_hand import best_tokens, rows_of, separable

from attnsvm.analysis.selection import scores
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.paper.norm_growth.problems import CONDITIONS, contradicting, equal_scores

SMALL = {
    "problems": {"n": 2, "T": 3, "d": 6, "first_seed": 4, "candidates": 13},
    "descent": {"steps": 300, "learning_rate": 1.0, "points": 6},
    "measures": {"instances": 3},
}
SEEDS = [0, 1, 5, 77]
EQUAL_SCORES = [(4, 4, 24), (2, 5, 3), (3, 1, 2)]
CONTRADICTING = [(4, 4, 24), (3, 3, 4), (1, 2, 2)]


@pytest.mark.parametrize("shape", EQUAL_SCORES)
def test_all_tokens_but_the_best_have_one_score_and_the_rest_stays(shape):
    n, T, _ = shape
    moved, plain = draw(equal_scores, SEEDS, *shape), draw(gaussian, SEEDS, *shape)
    assert (moved.labels == plain.labels).all()
    assert (moved.queries == plain.queries).all()
    # v is divided by its length once more, in double precision.
    assert np.abs(moved.head - plain.head).max() <= 1e-7
    assert np.abs(np.linalg.norm(moved.head, axis=1) - 1).max() <= 1e-15
    score = scores(moved.tokens, moved.head, moved.labels)
    before = scores(plain.tokens, moved.head, plain.labels)
    best = before.argmax(-1)
    assert np.array_equal(score.argmax(-1), best)
    for s in range(len(SEEDS)):
        for i in range(n):
            others = [t for t in range(T) if t != best[s, i]]
            if others:
                assert np.ptp(score[s, i, others]) <= 1e-15  # a few roundings of scores below one
                assert score[s, i, others].max() < score[s, i, best[s, i]]
                assert score[s, i, others[0]] == pytest.approx(before[s, i].min(), abs=1e-15)
            assert (moved.tokens[s, i, best[s, i]] == plain.tokens[s, i, best[s, i]]).all()
            # Moved along v alone: what is orthogonal to v stays.
            change = moved.tokens[s, i] - plain.tokens[s, i]
            assert np.abs(change - np.outer(change @ moved.head[s], moved.head[s])).max() <= 1e-15


@pytest.mark.parametrize("shape", CONTRADICTING)
def test_contradicting_inputs_come_in_pairs_of_both_labels(shape):
    n = shape[0]
    batch, drawn = draw(contradicting, SEEDS, *shape), draw(gaussian, SEEDS, *shape)
    assert (batch.head == drawn.head).all()
    for first, second in zip(range(0, n - 1, 2), range(1, n, 2), strict=True):
        assert (batch.tokens[:, first] == batch.tokens[:, second]).all()
        assert (batch.queries[:, first] == batch.queries[:, second]).all()
        assert (batch.labels[:, first] == -batch.labels[:, second]).all()
        assert (batch.labels[:, first] == drawn.labels[:, first]).all()
        assert (batch.queries[:, first] == drawn.queries[:, first]).all()
    score = np.einsum("sntd,sd->snt", batch.tokens, batch.head)
    assert np.abs(score.mean(-1)).max() <= 1e-15  # T ≤ 4 scores below one
    before = np.einsum("sntd,sd->snt", drawn.tokens, drawn.head)[:, ::2]
    assert np.allclose(score[:, ::2], before - before.mean(-1, keepdims=True), rtol=0, atol=1e-14)
    across = batch.tokens[:, ::2] - drawn.tokens[:, ::2]
    along = np.einsum("sntd,sd->snt", across, batch.head)[..., None] * batch.head[:, None, None]
    # ‖v‖ = 1 to float32
    assert np.abs(across - along).max() <= 1e-6
    if n % 2:
        assert (batch.labels[:, -1] == drawn.labels[:, -1]).all()
        assert (batch.queries[:, -1] == drawn.queries[:, -1]).all()


def loss(weights, X, Z, Y, v):
    """The logistic loss (L,) of the logged W (L, d, d)."""
    raw = np.exp(np.einsum("itd,lde,ie->lit", X, weights, Z))
    return np.log1p(np.exp(-Y * (raw / raw.sum(-1, keepdims=True) * (X @ v)).sum(-1))).mean(-1)


def test_the_conditions_hold_for_what_is_drawn(run):
    conditions = {}
    for label, s, p, t, _ in run.each():
        X, Z, Y, v = (p[key][s] for key in ("tokens", "queries", "labels", "head"))
        optimal, condition = best_tokens(X, Y, v), label.split("_d6_")[1]
        rows = rows_of(X, Z, optimal)
        feasible = separable(X, Z, optimal)
        all_support = feasible and (np.linalg.solve(rows @ rows.T, np.ones(len(rows))) >= 0).all()
        others = np.sort(Y[:, None] * (X @ v))[:, :-1]
        equal = feasible and np.ptp(others, axis=1).max() <= 1e-14
        holds = {
            "all_support": all_support,
            "equal_scores": equal,
            "neither": feasible and not all_support and not equal,
            "contradicting": not feasible,
        }[condition]
        if holds:
            weights = t["weights"][s]
            logged = t["steps"], weights, loss(weights, X, Z, Y, v)
            conditions.setdefault(condition, {})[int(p["seeds"][s])] = logged
    assert set(conditions) == set(CONDITIONS)
    assert run.outcomes.instances.sum() == 13 * len(CONDITIONS)
    for condition, drawn in conditions.items():
        table = run.table[run.table.condition == condition]
        wanted = sorted(drawn)[:3]  # the first three seeds
        assert sorted(set(table.seed)) == wanted
        for seed in wanted:
            steps, weights, losses = drawn[seed]
            rows = table[table.seed == seed].sort_values("step")
            assert rows.step.tolist() == steps.tolist()
            np.testing.assert_allclose(rows["norm"], [np.sqrt((W**2).sum()) for W in weights], rtol=1e-12)
            if condition != "contradicting":
                assert (np.diff(losses) < 0).all()
                assert rows["norm"].iloc[-1] > rows["norm"].iloc[0]
