"""Sums along rows of scaled numbers, and the derivative of a softmax, against exact fractions and many digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from attnsvm.training.softmax import softmax
from attnsvm.training.tape import attention, losses
from attnsvm.training.tape.node import Node
from attnsvm.training.tape.rows import contract, through_softmax
from attnsvm.training.tape.scaled import LN2, NOTHING, Scaled, by_entries, plus, tidy

S, Q, T, D = 3, 2, 4, 5
RNG = np.random.default_rng(0)
B = RNG.normal(size=(S, T, D))
POWERS = {"of rows": RNG.integers(-9000, 9000, (S, Q, 1)), "of entries": RNG.integers(-9000, 9000, (S, Q, T))}
OVER, AMONG = RNG.integers(T, size=(S, Q, 1)), RNG.integers(D, size=(S, Q, 1))


def exact(m, k):
    return Fraction(float(m)) * Fraction(2) ** int(k) if m else Fraction(0)


def close(m, k, expected):
    assert (m == 0.0) == (expected == 0), (m, k, expected)
    return abs(exact(m, k) - expected) <= abs(expected) * Fraction(1, 10**13)


@pytest.mark.parametrize("powers", POWERS)
@pytest.mark.parametrize("winners", [{}, {"over": OVER}, {"among": AMONG}], ids=["plain", "over", "among"])
def test_a_sum_along_a_row_is_that_of_fractions(powers, winners):
    """Powers thousands apart: the largest terms make the sum, and every entry has the digits that they have."""
    a = tidy(Scaled(RNG.normal(size=(S, Q, T)), POWERS[powers]))
    found = contract(a, B, **winners)
    for s, q, d in np.ndindex(S, Q, D):
        beside = {"over": B[s, OVER[s, q, 0], d], "among": B[s, :, AMONG[s, q, 0]]}
        off = np.broadcast_to(beside[next(iter(winners))] if winners else 0.0, T)
        terms = [exact(a.m[s, q, t], a.k[s, q, t % a.k.shape[-1]]) * Fraction(B[s, t, d] - off[t]) for t in range(T)]
        k = np.broadcast_to(found.k, found.m.shape)[s, q, d]
        assert close(found.m[s, q, d], k, sum(terms))


def test_what_is_too_small_beside_its_row_is_kept_where_nothing_else_is():
    a = Scaled(np.array([[[0.75, 0.5]]]), np.array([[[0, -5000]]]))
    found = contract(a, np.array([[[1.0, 0.0], [1.0, 3.0]]]))
    assert found.value().tolist() == [[[0.75, 0.0]]]
    assert (found.m[0, 0, 1], found.k[0, 0, 1]) == (0.75, -4999)


def by_mpmath(logits, g):
    with mpmath.workdps(4000):
        shares = [mpmath.exp(z) for z in logits]
        p = [x / mpmath.fsum(shares) for x in shares]
        mean = mpmath.fsum(a * b for a, b in zip(p, g, strict=True))
        # A difference that is nothing but rounding is none.
        return [
            a * (b - mean) if abs(b - mean) > mpmath.mpf(10) ** -3900 else mpmath.mpf(0)
            for a, b in zip(p, g, strict=True)
        ]


CASES = {
    "apart": ([3.0, -2000.0, -2500.5, 1.0], [0.3, -0.2, 0.7, 0.1]),
    "another has the winner's slope": ([0.0, -900.0, -2000.0, -3000.0], [0.3, 0.3, -0.5, 0.3]),
    "none has another": ([0.0, -900.0, -2000.0, -3000.0], [0.3, 0.3, 0.3, 0.3]),
    "a token is shut out": ([0.0, -900.0, -np.inf, -3000.0], [0.3, 0.1, -0.5, 0.2]),
}


@pytest.mark.parametrize("power", [0, -7000])
@pytest.mark.parametrize("case", CASES)
def test_the_derivative_of_a_softmax_keeps_its_digits(case, power):
    """A fixed point of logits, derivatives far below the smallest float."""
    logits, g = map(np.array, CASES[case])
    found = through_softmax(softmax(logits[None, None]), Scaled(g[None, None], np.full((1, 1, 1), power)), 0.5)
    expected = by_mpmath(logits, g)
    with mpmath.workdps(4000):
        for t in range(4):
            m, k = found.m[0, 0, t], int(found.k[0, 0, t])
            if expected[t] == 0:
                assert (m, k) == (0.0, NOTHING)
            else:
                ratio = mpmath.mpf(float(m)) * mpmath.mpf(2) ** (k - power) / (0.5 * expected[t])
                assert abs(ratio - 1) < 1e-12


def test_a_row_does_not_depend_on_its_place():
    a = tidy(Scaled(RNG.normal(size=(S, Q, T)), POWERS["of entries"]))
    at, g = softmax(RNG.normal(size=(S, Q, T))), Scaled(RNG.normal(size=(S, Q, T)), POWERS["of rows"])
    both = contract(a, B, over=OVER), through_softmax(at, g, 0.3)
    part = slice(1, 2)
    alone = (
        contract(Scaled(a.m[part], a.k[part]), B[part], over=OVER[part]),
        through_softmax(type(at)(*(x[part] for x in at)), Scaled(g.m[part], g.k[part]), 0.3),
    )
    for many, one in zip(map(by_entries, both), map(by_entries, alone), strict=True):
        np.testing.assert_array_equal(many.m[part], one.m)
        np.testing.assert_array_equal(many.k[part], one.k)


BEHIND = np.concatenate([np.linspace(0.5, 800, 400), np.log(2) * np.arange(1018, 1080, 0.25), [3000.0, 1e5]])


@pytest.mark.parametrize("tied", [1, 2, 3])
def test_the_derivative_is_finite_and_right_at_every_distance_behind_tokens_that_tie(tied):
    """−log of the share of k equal tokens, one behind by x: its slope is e^(−x)/(k + e^(−x)), theirs minus a k-th."""
    logits = np.zeros((len(BEHIND), tied + 1))
    logits[:, -1] = -BEHIND
    z = Node(logits, weight=True)
    p = attention.softmax(z)
    loss = losses.negative_log(attention.probability(p, np.arange(tied + 1) < tied))
    found = Scaled(np.ones(len(BEHIND)), np.zeros(len(BEHIND), dtype=np.int64))
    for node in (loss, loss.parents[0][0], p):
        found = node.parents[0][1](found)
    logs = np.log(np.abs(found.m)) + LN2 * found.k
    wanted = -BEHIND - np.log(tied + np.exp(-BEHIND))
    np.testing.assert_allclose(logs[:, -1], wanted, rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(logs[:, :-1], (wanted - np.log(tied))[:, None] * np.ones(tied), rtol=1e-14, atol=1e-12)
    assert (np.sign(found.m) == [*[-1] * tied, 1]).all()


def test_a_zero_in_a_large_row_does_not_hide_what_is_small():
    """A row has one power of two; the entry of the other row, too small for it, is kept by a power for itself."""
    large = Scaled(np.array([[[1.0, 0.0]]]), np.array([[[0]]]))
    small = Scaled(np.array([[[0.5, 0.75]]]), np.array([[[-5000]]]))
    for a, b in ((large, small), (small, large)):
        found = by_entries(plus(a, b))
        entries = zip(found.m.ravel(), np.broadcast_to(found.k, found.m.shape).ravel(), strict=True)
        assert [exact(m, k) for m, k in entries] == [1, exact(0.75, -5000)]  # 53 bits hold no more of the first
