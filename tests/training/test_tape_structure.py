"""Tokens with structure, where entries are exactly zero or equal, in saturation."""

import numpy as np
import pytest
from slow_reverse import relative_error, slow_gradient
from tape_models import TAPE, drawn, summed, tape_gradient

from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node
from attnsvm.training.tape.scaled import Scaled, by_entries

CLOSE = 1e-10


def agrees(model, weights, inputs):
    """Every entry of every gradient, relative to the largest."""
    ours = tape_gradient(model, weights, inputs)
    for s in range(len(inputs["tokens"])):
        exact = slow_gradient(model, {k: w[s] for k, w in weights.items()}, {k: x[s] for k, x in inputs.items()})
        for name, weight in weights.items():
            m, k = summed(ours[name], weight)
            assert np.isfinite(m).all()
            assert relative_error(m[s], k[s], exact[name]) < CLOSE, name


def entry_by_entry(found, exact):
    """The largest error of an entry relative to itself."""
    found = by_entries(found)
    pairs = zip(found.m[0].flat, np.broadcast_to(found.k, found.m.shape)[0].flat, exact.flat, strict=True)
    return max(relative_error(np.array([m]), np.array([k]), np.array([x])) for m, k, x in pairs)


@pytest.mark.parametrize("name", ["layer", "factors", "two layers", "layer norm", "causal", "two heads"])
def test_the_winner_twice(name):
    """A copy of every token: each winner is tied with its own copy."""
    model, weights, inputs = drawn(name, S=2, T=3, size=300.0, seed=4)
    inputs["tokens"] = np.concatenate([inputs["tokens"], inputs["tokens"][:, :, :2]], 2)
    agrees(model, weights, inputs)


@pytest.mark.parametrize("name", ["layer", "factors", "keys and queries"])
def test_another_token_tied_with_the_winner(name):
    """Logits that are equal, of tokens that are not: all numbers are small integers, so that floats are exact."""
    model, weights, inputs = drawn(name, S=1, seed=4)
    inputs["tokens"] = np.array(
        [[[[1, 0, 0, 2], [0, 1, 0, 1], [0, 0, -1, 1]], [[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0]]]]
    )
    inputs["tokens"] = inputs["tokens"].astype(float)
    inputs["queries"] = np.array([[[300.0, 300, 0, 0], [0, 0, 700, 0]]])
    for key, weight in weights.items():
        weights[key] = np.eye(*weight.shape[1:])[None]
    logits = np.einsum("ntd,nd->nt", inputs["tokens"][0], inputs["queries"][0])
    assert (logits == [[300, 300, 0], [0, 700, 0]]).all() or name != "layer"
    agrees(model, weights, inputs)


@pytest.mark.parametrize("name", ["layer", "factors", "two layers", "three layers", "rotary"])
@pytest.mark.parametrize("size", [1.0, 2000.0])
def test_one_hot_tokens(name, size):
    """Most entries of each row are exactly zero."""
    model, weights, inputs = drawn(name, S=2, T=3, size=size, seed=5)
    inputs["tokens"] = np.eye(4)[np.random.default_rng(0).integers(0, 4, size=(2, 2, 3))]
    inputs["queries"] = np.eye(4)[np.random.default_rng(1).integers(0, 4, size=(2, 2))]
    agrees(model, weights, inputs)


def test_entries_that_large_rows_leave_at_zero_survive():
    """One-hot tokens: ∂L/∂(W z) has one entry for each token, exp(−margin) apart; here exp(0) to exp(−3000)."""
    tokens, margins = np.eye(4)[None], np.array([0.0, -300.0, -1000.0, -3000.0])
    v = np.array([[1.0, -2.0, 0.7, 1.3]])

    def model(ops, w, at):
        return ops.logistic(1.0, ops.softmax(ops.compare(w["key"][None], at["tokens"])) @ at["tokens"] @ at["v"])

    weights, inputs = {"key": margins[None]}, {"tokens": tokens, "v": v}
    nodes = {"key": Node(weights["key"], weight=True)}
    terms = gradient(model(TAPE, nodes, {k: Node(x) for k, x in inputs.items()}), nodes)["key"]
    exact = slow_gradient(model, {"key": margins}, {"tokens": tokens[0], "v": v[0]})["key"]
    found = Scaled(terms.right[..., 0], terms.k)  # one unit vector for each entry
    assert np.array_equal(terms.left, np.eye(4)[None])
    assert entry_by_entry(found, exact) < CLOSE


def test_one_hot_positions_behind_the_tokens():
    """Rows [token, position]: what a layer passes to a row nobody chose stands beside exact zeros of the others."""

    def model(ops, w, at):
        x = at["tokens"]
        x = x + ops.softmax(ops.scores(x, w["W1"], x)) @ x @ at["values"]
        p = ops.softmax(ops.scores(x, w["W"], x[:, :1]))
        return ops.logistic(at["labels"][:, None], p @ x @ at["v"])

    r = np.random.default_rng(3)
    kinds = np.eye(3)[r.integers(0, 3, size=(2, 3))]
    tokens = np.concatenate([kinds, np.broadcast_to(np.eye(3), (2, 3, 3))], -1)[None]
    values = np.zeros((1, 6, 6))
    values[0, :3, 3:] = np.eye(3)
    weights = {name: 900.0 * r.normal(size=(1, 6, 6)) for name in ("W1", "W")}
    agrees(model, weights, {"tokens": tokens, "values": values, "labels": np.ones((1, 2)), "v": r.normal(size=(1, 6))})


def test_one_token_leaves_nothing_to_select():
    model, weights, inputs = drawn("head", S=2, T=1, size=500.0)
    terms = tape_gradient(model, weights, inputs)
    assert (terms["W"].summed().m == 0).all()
    assert np.isfinite(terms["W"].logs).all()
    agrees(model, weights, inputs)


def test_all_tokens_but_one_shut_out():
    """By a mask that is the same for all instances, and by one of each instance."""
    inside = np.array([[True, False, False], [True, True, False]])[:, None]

    def model(mask):
        def loss(ops, w, at):
            p = ops.softmax(ops.scores(at["tokens"], w["W"], at["queries"][:, None]), mask(at))
            return ops.logistic(at["labels"][:, None], p @ at["tokens"] @ at["v"])

        return loss

    _, weights, inputs = drawn("layer", S=2, size=100.0)
    agrees(model(lambda at: inside), weights, inputs)
    alike = tape_gradient(model(lambda at: inside), weights, inputs)["W"].summed()
    one = tape_gradient(model(lambda at: at["mask"]), weights, inputs | {"mask": np.stack([inside, inside])})
    assert np.array_equal(one["W"].summed().m, alike.m)
    both = np.stack([inside, inside[::-1]])
    other = tape_gradient(model(lambda at: at["mask"]), weights, inputs | {"mask": both})["W"].summed()
    assert np.array_equal(other.m[0], alike.m[0])
    assert not np.array_equal(other.m[1], alike.m[1])
    only = np.broadcast_to(np.array([True, False, False]), (2, 1, 3))
    assert (tape_gradient(model(lambda at: only), weights, inputs)["W"].summed().m == 0).all()


# ------------------------------------------------------------------------------------------- the arithmetic below
