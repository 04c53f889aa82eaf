"""The generators that the paper's other experiments need, and descent from a given start."""

import numpy as np
import pytest

from attnsvm import draws
from attnsvm.training.descent import PIECE, train
from attnsvm.training.heads import LinearHead
from attnsvm.draws import draw, gaussian
from attnsvm.training.steps import exact, plain
from attnsvm.selection import optimal_tokens, scores
from attnsvm.svm import separation, solve

SEEDS = [0, 1, 5, 77]
SHAPES = {
    "equal_scores": [(4, 4, 24), (2, 5, 3), (3, 1, 2)],
    "contradicting": [(4, 4, 24), (3, 3, 4), (1, 2, 2)],
}
CASES = [(name, *shape) for name, shapes in SHAPES.items() for shape in shapes]
FIELDS = ("tokens", "queries", "labels", "head")


@pytest.mark.parametrize(("name", "n", "T", "d"), CASES)
def test_shapes_types_and_independence_of_the_batch(name, n, T, d):
    generate = getattr(problems, name)
    batch, alone = draw(generate, SEEDS, n, T, d), draw(generate, [77], n, T, d)
    assert batch.tokens.shape == (4, n, T, d)
    assert batch.queries.shape == (4, n, d)
    assert batch.labels.shape == (4, n)
    assert batch.head.shape == (4, d)
    empty = draw(generate, [], n, T, d)
    for field in FIELDS:
        values = getattr(batch, field)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        assert (values[3] == getattr(alone, field)[0]).all()
        assert getattr(empty, field).shape == (0, *values.shape[1:])
    assert (np.abs(batch.labels) == 1).all()
    # Lengths one to float32, in which they are drawn.
    assert np.allclose(np.linalg.norm(batch.queries, axis=-1), 1, rtol=0, atol=1e-6)
    assert np.allclose(np.linalg.norm(batch.head, axis=-1), 1, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("name", "shape"), [("equal_scores", s) for s in SHAPES["equal_scores"]])
def test_all_tokens_but_the_best_have_one_score_and_the_rest_stays(name, shape):
    n, T, _ = shape
    moved, plain_ = draw(problems.equal_scores, SEEDS, *shape), draw(gaussian, SEEDS, *shape)
    assert (moved.labels == plain_.labels).all()
    assert (moved.queries == plain_.queries).all()
    # v is divided by its length once more, in double precision.
    assert np.abs(moved.head - plain_.head).max() <= 1e-7
    assert np.abs(np.linalg.norm(moved.head, axis=1) - 1).max() <= 1e-15
    score = scores(moved.tokens, moved.head, moved.labels)
    before = scores(plain_.tokens, moved.head, plain_.labels)
    best = before.argmax(-1)
    assert np.array_equal(score.argmax(-1), best)
    for s in range(len(SEEDS)):
        for i in range(n):
            others = [t for t in range(T) if t != best[s, i]]
            if others:
                assert np.ptp(score[s, i, others]) <= 1e-15  # a few roundings of scores below one
                assert score[s, i, others].max() < score[s, i, best[s, i]]
                assert score[s, i, others[0]] == pytest.approx(before[s, i].min(), abs=1e-15)
            assert (moved.tokens[s, i, best[s, i]] == plain_.tokens[s, i, best[s, i]]).all()
            # Moved along v alone: what is orthogonal to v stays.
            change = moved.tokens[s, i] - plain_.tokens[s, i]
            assert np.abs(change - np.outer(change @ moved.head[s], moved.head[s])).max() <= 1e-15


@pytest.mark.parametrize("shape", SHAPES["contradicting"])
def test_contradicting_inputs_come_in_pairs_of_both_labels(shape):
    n = shape[0]
    batch, drawn = draw(problems.contradicting, SEEDS, *shape), draw(gaussian, SEEDS, *shape)
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


def test_nothing_separates_the_optimal_tokens_of_contradicting_inputs():
    batch, drawn = draw(problems.contradicting, range(10), 4, 4, 24), draw(gaussian, range(10), 4, 4, 24)
    best, usual = (optimal_tokens(p.tokens, p.head, p.labels) for p in (batch, drawn))
    for s in range(10):
        c = separation(batch.tokens[s], batch.queries[s], best[s])
        answer = solve(c)
        assert answer.status == "infeasible"
        # The proof: multipliers that combine the constraints' matrices to nothing and promise a positive margin.
        combined = sum(y * np.outer(a, b) for y, a, b in zip(answer.dual, c.left, c.right, strict=True))
        assert np.abs(combined).max() <= 1e-10
        assert answer.dual.min() >= 0
        assert answer.dual.sum() == pytest.approx(1)
        assert solve(separation(drawn.tokens[s], drawn.queries[s], usual[s])).solved


def test_descent_starts_at_the_weights_given_in_the_order_of_the_batch():
    S = PIECE + 7
    p = draw(gaussian, range(S), 2, 2, 3)
    W = np.random.default_rng(0).normal(size=(S, 3, 3))
    log = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W)
    assert log.steps.tolist() == [0, 1, 2, 3]
    assert np.array_equal(log.weights[:, 0], W)
    assert (log.weights[:, 1] != W).any((1, 2)).all()
    for s in (0, PIECE - 1, PIECE, S - 1):
        alone = train(p[s : s + 1], LinearHead, "W", plain(1.0), 3, 1, start=W[s : s + 1])
        assert np.array_equal(alone.weights[0], log.weights[s])
    by_torch = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W, device="cpu:0")
    np.testing.assert_allclose(by_torch.weights, log.weights, rtol=0, atol=1e-14)  # three steps of order one


def test_descent_can_go_on_from_where_it_stopped():
    p = draw(gaussian, range(9), 3, 4, 6)
    whole = train(p, LinearHead, "W", exact(0.1), 40, 20)
    rest = train(p, LinearHead, "W", exact(0.1), 20, 20, start=whole.weights[:, 1])
    # Weights of order one, 20 steps that amplify their rounding a little.
    np.testing.assert_allclose(rest.weights[:, 1], whole.weights[:, 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rest.loss[:, 0], whole.loss[:, 1], rtol=1e-13)


def test_the_weights_given_are_not_changed():
    p = draw(gaussian, range(4), 2, 3, 4)
    W = np.random.default_rng(1).normal(size=(4, 4, 4))
    kept = W.copy()
    for device in ("cpu", "cpu:0"):
        train(p, LinearHead, "W", plain(1.0), 5, 5, start=W, device=device)
        assert np.array_equal(W, kept)


def test_factors_do_not_start_at_given_weights():
    p = draw(gaussian, range(2), 2, 3, 4)
    with pytest.raises(ValueError, match=r"start: expected 'uniform' or 'zero' for \(K, Q\), got an array of weights"):
        train(p, LinearHead, "KQ", plain(1.0), 1, 1, start=np.zeros((2, 4, 4)))
