"""What the checker of lifted tokens decides in whole numbers, where bounds of rounding do not settle it.

float64 numbers are whole numbers times a power of two, so products of lifted tokens are exact here. Needs python-flint.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter

import numpy as np

from attnsvm.svm.rational import Integers, digits_of, nullified

PRODUCTS = 2e5  # of tokens with tokens, up to which all are made; each takes about a microsecond
NUMBERS = 4e5  # of tokens and queries that are read
SUPPORT = 250  # constraints of a refutation: their equations take some seconds
DIGITS = 453  # binary digits of the numbers of an array, as integers
FINITE = float(np.finfo(float).max)
DROPS = 8  # constraints that are left out, one after another, where the exact multipliers are negative


@dataclass(frozen=True)
class Sizes:
    """Exact numbers of an answer: of W the square of its norm and its least margin; of Σ λ_k A_k its square."""

    square: Fraction
    least: Fraction
    combined: Fraction


def affordable(features, used: int) -> bool:
    """Whether all products of so many tokens with all tokens can be made."""
    content, places, queries, _ = features
    small = used * len(content) <= PRODUCTS and content.size + places.size + queries.size <= NUMBERS
    return small and all(digits_of(part) <= DIGITS for part in (content, places, queries))


def sizes(features, winner, loser, nu: np.ndarray, combined: np.ndarray) -> Sizes:
    """For W with multipliers nu (N,) of tokens, and for the sum of the constraints with multipliers `combined` (N,)."""
    content, places, queries, owner = features
    used = np.flatnonzero((nu != 0) | (combined != 0))
    tokens, unit = _kernel(content, places, used, np.arange(len(owner)))
    products, of_queries = _gram(queries, queries)
    first = np.searchsorted(owner[used], np.arange(len(queries) + 1))

    def logits(weights):
        found = 0
        for i, (start, stop) in enumerate(pairwise(first)):
            if stop > start:
                found = found + (weights[start:stop] @ tokens[start:stop]) * products[i, owner]
        return found

    mine, sums = Integers(nu[used]), Integers(combined[used])
    reached = logits(mine.values)
    power = unit + of_queries + mine.exponent
    square, least = mine.values @ reached[used], (reached[winner] - reached[loser]).min()
    other = _times(sums.values @ logits(sums.values)[used], unit + of_queries + 2 * sums.exponent)
    return Sizes(_times(square, power + mine.exponent), _times(least, power), other)


def farkas(features, winner, loser, dual: np.ndarray) -> bool:
    """Whether there are multipliers ≥ 0, not all zero, on the constraints of positive `dual` (m,), with sum zero.

    Their equations are solved near `dual`: a basis is chosen modulo a prime, and what follows is exact.
    """
    content, places, queries, owner = features
    rows = np.flatnonzero(dual > 0)
    rows = rows[np.argsort(-dual[rows], kind="stable")]  # the largest multipliers can move without changing sign
    if len(rows) > SUPPORT or any(digits_of(part) > DIGITS for part in (content, places, queries)):
        return False
    used, place = np.unique(np.concatenate([winner[rows], loser[rows]]), return_inverse=True)
    tokens, _ = _kernel(content, places, used, used)
    above, below = place[: len(rows)], place[len(rows) :]
    owners, number = np.unique(owner[winner[rows]], return_inverse=True)
    products = _gram(queries[owners], queries[owners])[0][np.ix_(number, number)]
    left = tokens[above] - tokens[below]
    gram = (left[:, above] - left[:, below]) * products
    weights = Integers(dual[rows]).values
    for _ in range(DROPS):
        found = nullified(gram, weights)
        if found is None:
            return False
        if min(found) >= 0:
            return max(found) > 0
        worst = min(range(len(found)), key=found.__getitem__)
        kept = [k for k in range(len(found)) if k != worst]
        gram, weights = gram[np.ix_(kept, kept)], weights[kept]
    return False


def enclosed(value: Fraction, power: int) -> tuple[float, float]:
    """Lower and upper bound of value · 2^power in float64; infinite, or zero, where it leaves the range."""
    value *= Fraction(2) ** power
    try:
        near = float(value)
    except OverflowError:
        return (FINITE, inf) if value > 0 else (-inf, -FINITE)
    return (near, near) if Fraction(near) == value else (nextafter(near, -inf), nextafter(near, inf))


def _gram(a, b):
    """The products of the rows of a and of b, as whole numbers times a power of two."""
    from flint import fmpz_mat

    left, right = Integers(a), Integers(b)
    product = fmpz_mat(left.values.tolist()) * fmpz_mat(right.values.tolist()).transpose()
    numbers = np.array([int(x) for x in product.entries()], dtype=object).reshape(len(a), len(b))
    return numbers, left.exponent + right.exponent


def _kernel(content, places, rows, columns):
    """The products of lifted tokens."""
    (one, a), (other, b) = _gram(content[rows], content[columns]), _gram(places[rows], places[columns])
    return one * other, a + b


def _times(number, power) -> Fraction:
    return Fraction(int(number)) * Fraction(2) ** power
