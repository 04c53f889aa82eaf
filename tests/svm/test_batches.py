"""An answer is what its problem says, to the bit, whatever else is in its batch: blocks may be cut in any way."""

import numpy as np
import pytest

from attnsvm.svm import separation, sequence, solve_batch


def problem(k, rng, n=4, T=4, d=5):
    """In every third a token stands twice, so that constraints repeat; every fifth is next to impossible."""
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    if k % 3 == 0:
        tokens[:, -1] = tokens[:, -2]
    if k % 5 == 0:
        queries[1] = -queries[0] * (1 + 1e-6 * rng.normal())
    return separation(tokens, queries, np.zeros(n, dtype=int))


def layer(k, rng, n=3, T=4, d=4):
    """A layer below the top: rows at margin 1 and rows at margin 0, and a token that stands twice."""
    bound = np.where(rng.random((n, T)) < 0.5, 1.0, 0.0)
    tokens = rng.normal(size=(n, T, d))
    tokens[0, -1] = tokens[0, 0]
    return sequence(tokens, np.ones((n, T), dtype=int), bound=bound)


def shared(k, rng, n=4, T=4, d=5):
    """Two tokens are selected in some inputs: their logits are equal."""
    selected = np.arange(T) < 1 + rng.integers(2, size=(n, 1))
    return separation(rng.normal(size=(n, T, d)), rng.normal(size=(n, d)), selected)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize("draw", [problem, layer, shared])
def test_an_answer_does_not_depend_on_its_batch(norm, draw):
    rng = np.random.default_rng(8)
    batch = [draw(k, rng) for k in range(24)]
    whole = solve_batch(batch, norm)
    assert {answer.status.value for answer in whole} & {"solved"}
    for parts in (2, 5, 24):
        for k in range(parts):
            for answer, expected in zip(solve_batch(batch[k::parts], norm), whole[k::parts], strict=True):
                assert answer.status == expected.status
                np.testing.assert_array_equal(answer.W, expected.W)
                np.testing.assert_array_equal(answer.dual, expected.dual)
