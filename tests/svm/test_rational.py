"""Exact systems: a prime that divides what it should not loses answers, and proves nothing that is false."""

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm.svm import rational, separation, solve


def conflicts(seed):
    """Small integers: three inputs of one query, which select in a circle."""
    rng = np.random.default_rng(seed)
    tokens = np.repeat(rng.integers(-4, 5, size=(1, 3, 2)), 3, axis=0).astype(float)
    return separation(tokens, np.ones((3, 1)), np.arange(3))


@pytest.mark.parametrize("prime", [2, 3, 2**61 - 1])
def test_a_combination_found_with_any_prime_vanishes(prime, monkeypatch):
    monkeypatch.setattr(rational, "PRIME", prime)
    found = []
    for seed in range(40):
        c = conflicts(seed)
        weights = rational.refutation(c.factors, np.linspace(1.0, 1.5, len(c)), c.bound, c.equality)
        found.append(weights is not None)
        assert weights is None or rational.refuting(c.factors, c.bound, c.equality, weights) == ""
    assert (prime > 3) == all(found)


@pytest.mark.parametrize("prime", [2, 2**61 - 1])
def test_a_projection_found_with_any_prime_meets_the_equalities(prime, monkeypatch):
    monkeypatch.setattr(rational, "PRIME", prime)
    moved = 0
    for seed in range(20):
        tokens, queries, selected = gaussian(seed, 2, 4, 3)
        sets = np.arange(4) == selected[:, None]
        sets[:, 0] = True
        c = separation(np.round(4 * tokens), np.round(4 * queries), sets)
        answer = solve(c)
        if not answer.solved:
            continue
        there = rational.Products(c.factors).projected(answer.W, c.bound, c.equality, answer.dual)
        if there is not None:
            moved += 1
            assert np.abs(c.apply(there[0].core)[c.equality]).max(initial=0.0) < 1e-12
    assert moved > 5 or prime == 2
