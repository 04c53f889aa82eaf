"""Positions added to the tokens: the draws, the table against a reading of the stored arrays."""

import numpy as np
import pytest
from by_hand import cosine, winners

from attnsvm.analysis.rows import where
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.own.positional.problems import added, encoded
from attnsvm.svm import separation, solve

SEEDS = [0, 1, 5, 77]
SHAPES = [(6, 8, 10), (2, 3, 5)]
SMALL = {"problems": {"n": 3, "T": 4, "d": 6, "first_seed": 7, "instances": 5}, "descent": {"steps": 400}}


@pytest.mark.parametrize("shape", SHAPES)
def test_encoded_tokens_are_tokens_plus_positions_at_length_one(shape):
    _, T, d = shape
    batch, longer, drawn = (draw(one, SEEDS, *shape) for one in (encoded, added, gaussian))
    for field in ("queries", "labels", "head"):
        assert (getattr(batch, field) == getattr(drawn, field)).all()
        assert (getattr(longer, field) == getattr(drawn, field)).all()
    for t in range(T):
        code = np.array([(np.cos if k % 2 else np.sin)(t / 10000 ** (2 * (k // 2) / d)) for k in range(d)])
        expected = drawn.tokens[:, :, t] + code / np.linalg.norm(code)
        np.testing.assert_allclose(longer.tokens[:, :, t], expected, rtol=0, atol=1e-6)  # float32
        expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
        np.testing.assert_allclose(batch.tokens[:, :, t], expected, rtol=0, atol=2e-6)  # float32, shortest sum ≈ 0.1
    assert np.abs(np.linalg.norm(batch.tokens, axis=-1) - 1).max() <= 2e-7  # float32


def test_the_table_is_its_definition(run):
    table = run.table.set_index(["tokens", "quantity", "seed"]).value
    assert len(table) == 3 * 2 * 5 + 2 * 2
    for label, s, p, t, _ in run.each():
        X, Z, seed = p["tokens"][s], p["queries"][s], p["seeds"][s]
        variant, selected = label.rsplit("_", 1)[1], winners(X, t["weights"][s], Z)
        own, first = solve(separation(X, Z, selected)), solve(separation(X, Z, np.zeros(3, int)))
        assert table[variant, "correlation", seed] == pytest.approx(cosine(t["weights"][s], own.W), abs=1e-9)
        assert table[variant, "norm", seed] == pytest.approx(np.linalg.norm(first.W), rel=1e-9)


def test_shares_count_the_margins_that_are_wider_and_those_that_are_narrower_for_their_length(run):
    margins = 1 / where(run.instances, quantity="norm").pivot(index="seed", columns="tokens", values="value")
    shares = run.table[run.table.seed.isna()].set_index(["tokens", "quantity"]).value
    for tokens, length in (("encoded", 1.0), ("added", np.sqrt(2))):
        assert shares[tokens, "wider"] == (margins[tokens] > margins["plain"]).mean()
        assert shares[tokens, "narrower for its length"] == (margins[tokens] / length < margins["plain"]).mean()
