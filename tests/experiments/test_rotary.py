"""The lifted tokens of the experiment are those of rotary attention; its control has the same tokens elsewhere."""

import numpy as np
import pytest

from attnsvm.experiments.beyond.rotary import problems as rotary
from attnsvm.experiments.beyond.rotary import svm

SETTINGS = {"n": 3, "T": 5, "d": [4], "first_seed": 0, "instances": 2}


@pytest.mark.parametrize("F", [1, 2, 4])
def test_the_lifted_logit_is_that_of_turned_keys_and_queries(F):
    """Keys and queries of one complex row for each frequency, turned by their positions; and their lifted W."""
    (cell,) = (cell for cell in rotary.cells(SETTINGS) if cell.variant == f"F{F}")
    given = rotary.problems(cell, SETTINGS)
    rng = np.random.default_rng(F)
    K, Q = rng.normal(size=(2, F, 4)) + 1j * rng.normal(size=(2, F, 4))
    theta = rotary.BASE ** (-np.arange(F) / F)
    content, queries = given.tokens[0, :, :, -4:], given.queries[0, :, :4]
    turn = np.exp(1j * np.outer(np.arange(5), theta))  # of the tokens; the query has position 5
    logits = np.einsum("ntf,nf->nt", np.conj(turn * (content @ K.T)), np.exp(5j * theta) * (queries @ Q.T)).real
    W = [np.outer(k.conj(), q) for k, q in zip(K, Q, strict=True)]
    lifted = np.vstack([*(w.real for w in W), *(-w.imag for w in W), np.zeros((4, 4))])
    found = np.einsum("nta,ab,nb->nt", given.tokens[0], lifted, queries)
    np.testing.assert_allclose(found, logits, atol=1e-12)
    assert not given.queries[0, :, 4:].any()


def test_the_control_exchanges_places_and_keeps_contents():
    *_, cell = rotary.cells(SETTINGS)
    given = rotary.problems(cell, SETTINGS)
    other = svm.elsewhere(given)
    np.testing.assert_allclose(other[..., -4:], given.tokens[..., -4:], atol=1e-14)
    assert np.abs(other - given.tokens).max() > 0.1
    here, there = (tokens.reshape(2, 3, 5, -1, 4) @ given.tokens[..., -4:, None] for tokens in (given.tokens, other))
    np.testing.assert_allclose(there, here[:, :, ::-1], atol=1e-6)  # unit tokens in float32
    assert svm.elsewhere(given[:0]).shape == (0, *given.tokens.shape[1:])
