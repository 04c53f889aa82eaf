"""The gradient as a sum of outer products, added up in several ways, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.optimisers.schedule import schedule
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.softmax import added
from attnsvm.training.tape.scaled import NOTHING
from attnsvm.training.tape.terms import Terms


def drawn(r, powers, d=3, e=2):
    """Two instances of r terms with the powers of two `powers`, in some order."""
    rng = np.random.default_rng(r)
    left, right = rng.integers(-9, 10, size=(2, r, d)), rng.integers(-9, 10, size=(2, r, e))
    return Terms(left.astype(float), right.astype(float), rng.choice(powers, size=(2, r)))


def by_fractions(terms, s):
    """The matrix of one instance, exactly."""
    shape = terms.left.shape[2], terms.right.shape[2]
    return np.array(
        [
            [
                sum(
                    Fraction(a) * Fraction(b) * Fraction(2) ** int(k)
                    for a, b, k in zip(terms.left[s, :, i], terms.right[s, :, j], terms.k[s], strict=True)
                )
                for j in range(shape[1])
            ]
            for i in range(shape[0])
        ]
    )


@pytest.mark.parametrize("powers", [[0], [-5, 3], [-2000, -1990]])
@pytest.mark.parametrize("r", [2, 7])
def test_the_sum_is_exact_at_any_power(r, powers):
    terms = drawn(r, powers)
    for found in (terms.summed(), terms.few().summed()):
        m, k = found.m, np.broadcast_to(found.k, found.m.shape)
        for s in range(2):
            wanted = by_fractions(terms, s)
            ours = [[Fraction(m[s, i, j]) * Fraction(2) ** int(k[s, i, j]) for j in range(2)] for i in range(3)]
            assert (np.array(ours) == wanted * np.ones((3, 2), dtype=int)).all()


def test_more_terms_than_rows_become_as_many_as_rows():
    assert drawn(7, [0]).few().k.shape == (2, 3)
    few = drawn(2, [0])
    assert few.few() is few


def test_floats_underflow_and_lose_nothing_else():
    terms = drawn(5, [-3, 8])
    for s in range(2):
        np.testing.assert_array_equal(terms.value()[s], by_fractions(terms, s).astype(float))
    assert not drawn(5, [-2000]).value().any()


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_zero_with_a_large_power_hides_no_other_term(side):
    left, right = np.ones((1, 2, 3)), np.ones((1, 2, 2))
    {"left": left, "right": right}[side][0, 0] = 0.0
    found = Terms(left, right, np.array([[0, -5000]])).summed()
    assert (found.m * 2.0 ** (found.k + 5000) == 1.0).all()


def test_no_terms_at_all_add_up_to_nothing():
    found = Terms(np.zeros((1, 2, 3)), np.ones((1, 2, 2)), np.array([[0, -5000]])).summed()
    assert not found.m.any()
    assert (found.k == NOTHING).all()


def test_rules_that_add_terms_up_say_so_also_when_wrapped():
    assert steepest("spectral", 0.1).reads_terms
    assert schedule(steepest("nuc", 0.1), "root").reads_terms
    assert not steepest("linf", 0.1).reads_terms
    assert not joint(exact(0.1)).reads_terms


def test_short_rows_are_added_up_as_numpy_does_to_the_bit():
    for T in range(1, 12):
        x = np.random.default_rng(T).normal(size=(33, 5, T))
        np.testing.assert_array_equal(added(x), x.sum(-1, keepdims=True))
