"""An instance's gradient has the same bytes in every batch."""

import numpy as np
import pytest
from tape_models import MODELS, drawn, tape_gradient, tape_loss

S = 7


def same_in_every_batch(model, weights, inputs):
    loss, _ = tape_loss(model, weights, inputs)
    together = tape_gradient(model, weights, inputs)
    for part in (slice(0, 1), slice(3, 4), slice(6, 7), slice(2, 6)):
        some = {k: w[part] for k, w in weights.items()}, {k: x[part] for k, x in inputs.items()}
        assert np.array_equal(tape_loss(model, *some)[0].value, loss.value[part])
        for name, terms in tape_gradient(model, *some).items():
            whole = together[name].summed()
            alone = terms.summed()
            size = np.abs(whole.m).max((1, 2), keepdims=True)
            assert (size > 0).any()
            assert np.array_equal(alone.m, whole.m[part]), name
            assert np.array_equal(alone.k, whole.k[part]), name
            for ours, theirs in zip(terms, together[name], strict=True):
                assert np.array_equal(ours, theirs[part]), name


@pytest.mark.parametrize("size", [1.0, 1000.0])
@pytest.mark.parametrize("name", MODELS)
def test_of_any_model(name, size):
    same_in_every_batch(*drawn(name, S=S, n=3, T=5, size=size))


@pytest.mark.parametrize("name", ["layer", "two layers", "three layers", "causal", "rotary", "two heads"])
def test_where_only_some_instances_have_one_hot_tokens(name):
    """Entries that underflow beside others are found in some instances only, and followed with a power each."""
    model, weights, inputs = drawn(name, S=S, n=3, T=5, size=3000.0)
    some = np.random.default_rng(0).integers(0, 4, size=(3, 3, 5))
    inputs["tokens"][[1, 3, 6]] = np.eye(4)[some]
    inputs["queries"][[1, 3, 6]] = np.eye(4)[some[:, :, 0]]
    same_in_every_batch(model, weights, inputs)
