"""Gradients of whole models in saturation against slow ones with as many digits as cancel."""

import numpy as np
import pytest
from mpmath import mp
from multiple_precision import pairs
from slow_reverse import relative_error, slow_gradient
from tape_models import MODELS, TAPE, drawn, summed, tape_gradient

from attnsvm.batch import LANES
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.optimisers.stepper import Stepper
from attnsvm.training.tape.node import Node

# Logits of 1e4 are floats with an error of 1e-12, and so is the relative size of two gradients.
CLOSE = 1e-10
DIGITS = 1000  # singular values that differ by exp(2000) are still told apart
MARGINS = 1, 700, 10_000
DEEP = {"three layers", "causal", "two heads"}  # for which the slow one is slow


def one(arrays, s):
    return {name: x[s] for name, x in arrays.items()}


def errors(model, weights, inputs):
    """Of the gradient of each weight the error relative to its largest entry."""
    ours, found = tape_gradient(model, weights, inputs), {}
    for s in range(len(inputs["tokens"])):
        exact = slow_gradient(model, one(weights, s), one(inputs, s))
        for name, weight in weights.items():
            m, k = summed(ours[name], weight)
            found[name] = max(found.get(name, 0.0), relative_error(m[s], k[s], exact[name]))
    return found


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("name", MODELS)
def test_at_any_margin_it_has_ten_digits(name, margin):
    n = 1 if margin > 3000 and name in DEEP else 2
    found = errors(*drawn(name, S=1, n=n, size=float(margin)))
    assert max(found.values()) < CLOSE, found


def test_a_nonlinearity_far_from_its_middle_keeps_its_slope():
    """tanh where it is exp(−2000)."""
    model, weights, inputs = drawn("tanh", S=1, size=30.0, seed=2)
    weights["A"] *= 1e3
    found = errors(model, weights, inputs)
    assert max(found.values()) < CLOSE, found


def test_rows_that_are_equal_as_floats_count_as_equal():
    """Below, positions that choose the same token have the same mixture: the top layer has it several times."""
    model, weights, inputs = drawn("no residual", S=1, size=3000.0, seed=1)
    nodes = {name: Node(w, weight=True) for name, w in weights.items()}
    x = TAPE.softmax(TAPE.scores(Node(inputs["tokens"]), nodes["W1"], Node(inputs["tokens"]))) @ Node(inputs["tokens"])
    x = x @ nodes["V"]
    assert any(len(np.unique(rows, axis=0)) < 3 for rows in x.value[0])
    found = summed(tape_gradient(model, weights, inputs)["W"], weights["W"])
    given = one(inputs, 0) | {"tokens": x.value[0]}
    exact = slow_gradient(MODELS["layer"][0], {"W": weights["W"][0]}, given)["W"]
    assert relative_error(found[0][0], found[1][0], exact) < CLOSE


# ---------------------------------------------------------------------------------------- what adding up would lose


def polar_factor(terms, shape):
    """As a rule takes it, of the first instance."""
    arrays = (np.repeat(x[:1], LANES, axis=0) for x in (terms.left, terms.right, terms.logs))
    arrays = tuple(np.ascontiguousarray(np.moveaxis(x, 0, -1)) for x in arrays)
    moved = np.zeros((*shape, LANES))
    Stepper(steepest("spectral", 1.0)).step([moved], [arrays])
    return -moved[..., 0]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("layer", ["W"]),
        ("factors", ["K", "Q"]),
        ("keys and queries", ["K", "Q"]),
        ("two layers", ["W1", "W"]),
        ("layer norm", ["W"]),  # W1: rows of one input have parallel terms, and differ by what floats lose
        ("classes", ["W", "C"]),
    ],
)
def test_the_terms_of_a_gradient_keep_its_smallest_singular_values(name, keys):
    """The inputs' gradients differ by hundreds of orders of magnitude; in the polar factor each counts fully."""
    model, weights, inputs = drawn(name, S=1, size=300.0, seed=3)
    ours = tape_gradient(model, weights, inputs)
    exact = slow_gradient(model, one(weights, 0), one(inputs, 0), 2 * DIGITS)
    with mp.workdps(DIGITS):
        for key in keys:
            triples = pairs(mp.matrix(exact[key].tolist()))
            slow = sum((u * v for _, u, v in triples[1:]), triples[0][1] * triples[0][2])
            found = polar_factor(ours[key], weights[key].shape[1:])
            assert np.abs(found - np.array(slow.tolist(), dtype=float)).max() < 1e-8, key
