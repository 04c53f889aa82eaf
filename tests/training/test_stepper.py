"""Rules one step at a time, on factors of any shapes, against NumPy; and gradients of sizes no float holds."""

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.batch import LANES
from attnsvm.training import adam, exact, joint, schedule, steepest
from attnsvm.training.optimisers.stepper import Stepper

SHAPES, RATE = ((3, 4), (5, 4), (2, 1)), 0.3


def some_terms(generator, counts, size=0.0):
    """Terms of a gradient for each of SHAPES, their exponents around `size`."""
    return [
        (
            generator.normal(size=(k, d, LANES)),
            generator.normal(size=(k, e, LANES)),
            size + generator.normal(size=(k, LANES)),
        )
        for k, (d, e) in zip(counts, SHAPES, strict=True)
    ]


def summed(terms, size=0.0):
    """The gradients (LANES, d, e), divided by exp(size)."""
    return [np.einsum("ks,kas,kbs->sab", np.exp(logs - size), left, right) for left, right, logs in terms]


def weights(generator):
    return [generator.normal(size=(*shape, LANES)) for shape in SHAPES]


def compare(rule, expected, size=0.0):
    """Four steps by the rule and by `expected(factors, gradients, step)`, on factors (LANES, d, e) that it moves."""
    generator = np.random.default_rng(0)
    ours = weights(generator)
    theirs = [np.moveaxis(factor, -1, 0).copy() for factor in ours]
    stepper = Stepper(rule)
    for step in range(4):
        terms = some_terms(generator, (6, 4 + step, 3), size)  # the number of terms may change
        stepper.step(ours, terms)
        expected(theirs, summed(terms, size), step)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.allclose(np.moveaxis(mine, -1, 0), other, rtol=1e-9, atol=1e-9)


def steepest_of(name, G):
    return np.stack([geometry.get(name).steepest(g) for g in G])


@pytest.mark.parametrize("size", [0.0, -5000.0])
def test_spectral_steps_that_shrink(size):
    def expected(factors, gradients, step):
        for f, G in enumerate(gradients):
            factors[f] -= RATE / np.sqrt(step + 1) * steepest_of("spectral", G)

    compare(schedule(steepest("spectral", RATE), "root"), expected, size=size)


@pytest.mark.parametrize("size", [0.0, -5000.0])
def test_adam_whose_steps_shrink_with_the_norm_of_all_weights(size):
    first, second = [0.0] * len(SHAPES), [0.0] * len(SHAPES)

    def expected(factors, gradients, step):
        norm = np.sqrt(sum((factor**2).sum((1, 2), keepdims=True) for factor in factors))
        for f, G in enumerate(gradients):
            first[f] = 0.6 * first[f] + 0.4 * G
            second[f] = 0.8 * second[f] + 0.2 * G**2
            m, v = first[f] / (1 - 0.6 ** (step + 1)), second[f] / (1 - 0.8 ** (step + 1))
            factors[f] -= RATE / np.maximum(1, norm) * m / np.sqrt(v)

    compare(schedule(adam(RATE, 0.6, 0.8), "shrinking"), expected, size=size)


def test_one_norm_for_gradients_of_very_different_sizes():
    """Factors at exp(−3000), exp(−3004) and exp(−4000): one unit for all, and the last one next to nothing."""
    generator, offsets = np.random.default_rng(1), (-3000.0, -3004.0, -4000.0)
    before = weights(generator)
    after = [factor.copy() for factor in before]
    terms = some_terms(generator, (6, 4, 3))
    moved = [(left, right, logs + offset) for (left, right, logs), offset in zip(terms, offsets, strict=True)]
    Stepper(joint(exact(RATE))).step(after, moved)
    G = [np.exp(offset + 3000.0) * g for g, offset in zip(summed(terms), offsets, strict=True)]
    norm = np.sqrt(sum((g**2).sum((1, 2)) for g in G))
    for b, a, g in zip(before, after, G, strict=True):
        assert np.allclose(np.moveaxis(b - a, -1, 0), RATE * g / norm[:, None, None], rtol=1e-9, atol=1e-15)
    assert np.array_equal(before[2], after[2])
