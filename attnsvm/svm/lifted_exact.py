"""What the checker of lifted tokens decides in whole numbers, where bounds of rounding do not settle it.

float64 numbers are whole numbers times a power of two, so products of lifted tokens are exact here. Needs python-flint.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, lcm, nextafter

import numpy as np

PRODUCTS = 2e5  # of tokens with tokens, up to which all are made; each takes about a microsecond
NUMBERS = 4e5  # of tokens and queries that are read
SUPPORT = 250  # constraints of a refutation: their equations take some seconds
SPREAD = 400  # bits between the largest and the smallest number of an array
PRIME = 2**61 - 1
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
    return small and all(_spread(part) <= SPREAD for part in (content, places, queries))


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

    (mine, shift), (sums, _) = _whole(nu[used]), _whole(combined[used])
    reached = logits(mine)
    power = unit + of_queries + shift
    square, least = mine @ reached[used], (reached[winner] - reached[loser]).min()
    other, of_sums = sums @ logits(sums)[used], _whole(combined[used])[1]
    return Sizes(_times(square, power + shift), _times(least, power), _times(other, unit + of_queries + 2 * of_sums))


def farkas(features, winner, loser, dual: np.ndarray) -> bool:
    """Whether there are multipliers ≥ 0, not all zero, on the constraints of positive `dual` (m,), with sum zero.

    Their equations are solved near `dual`: a basis is chosen modulo a prime, and what follows is exact.
    """
    content, places, queries, owner = features
    rows = np.flatnonzero(dual > 0)
    rows = rows[np.argsort(-dual[rows], kind="stable")]  # the largest multipliers can move without changing sign
    if len(rows) > SUPPORT or any(_spread(part) > SPREAD for part in (content, places, queries)):
        return False
    used, place = np.unique(np.concatenate([winner[rows], loser[rows]]), return_inverse=True)
    tokens, _ = _kernel(content, places, used, used)
    above, below = place[: len(rows)], place[len(rows) :]
    owners, number = np.unique(owner[winner[rows]], return_inverse=True)
    products = _gram(queries[owners], queries[owners])[0][np.ix_(number, number)]
    left = tokens[above] - tokens[below]
    gram = (left[:, above] - left[:, below]) * products
    weights = _whole(dual[rows])[0]
    for _ in range(DROPS):
        found = _nullified(gram, weights)
        if found is None:
            return False
        if min(found) >= 0:
            return max(found) > 0
        worst = min(range(len(found)), key=found.__getitem__)
        kept = [k for k in range(len(found)) if k != worst]
        gram, weights = gram[np.ix_(kept, kept)], weights[kept]
    return False


def _nullified(gram, weights):
    """Rational multipliers near `weights` that the matrix sends to zero, exactly; None where there are none."""
    from flint import fmpz_mat, nmod_mat

    size = len(gram)
    echelon, rank = nmod_mat(size, size, [int(x) % PRIME for x in gram.ravel()], PRIME).rref()
    basis, row = [], 0
    for k in range(size):
        if row < rank and int(echelon[row, k]):
            basis.append(k)
            row += 1
    free = [k for k in range(size) if k not in set(basis)]
    if not free:
        return None
    found = [Fraction(0)] * size
    for k in free:
        found[k] = Fraction(int(weights[k]))
    if basis:
        right = -(gram[np.ix_(basis, free)] @ weights[free])
        try:
            solved = fmpz_mat(gram[np.ix_(basis, basis)].tolist()).solve(fmpz_mat([[x] for x in right]))
        except ZeroDivisionError:  # singular: it is not, modulo a prime
            return None
        for place, k in enumerate(basis):
            value = solved[place, 0]
            found[k] = Fraction(int(value.p), int(value.q))
    common = lcm(*(value.denominator for value in found))
    whole = np.array([value.numerator * (common // value.denominator) for value in found], dtype=object)
    return found if not (gram @ whole).any() else None


def enclosed(value: Fraction, power: int) -> tuple[float, float]:
    """Lower and upper bound of value · 2^power in float64; infinite, or zero, where it leaves the range."""
    value *= Fraction(2) ** power
    try:
        near = float(value)
    except OverflowError:
        return (FINITE, inf) if value > 0 else (-inf, -FINITE)
    return (near, near) if Fraction(near) == value else (nextafter(near, -inf), nextafter(near, inf))


def _whole(array: np.ndarray) -> tuple[np.ndarray, int]:
    """Whole numbers and a power k: the array is the numbers times 2^k."""
    part, power = np.frexp(array)
    there = array != 0
    least = int(power[there].min()) if there.any() else 0
    numbers = np.ldexp(part, 53).astype(np.int64).astype(object)
    return numbers << np.where(there, power - least, 0).astype(object), least - 53


def _spread(array) -> int:
    """Bits between the largest and the smallest number other than zero."""
    powers = np.frexp(array[array != 0])[1]
    return int(powers.max() - powers.min()) if len(powers) else 0


def _gram(a, b):
    """The products of the rows of a and of b, as whole numbers times a power of two."""
    from flint import fmpz_mat

    (left, one), (right, other) = _whole(a), _whole(b)
    product = fmpz_mat(left.tolist()) * fmpz_mat(right.tolist()).transpose()
    numbers = np.array([int(x) for x in product.entries()], dtype=object).reshape(len(a), len(b))
    return numbers, one + other


def _kernel(content, places, rows, columns):
    """The products of lifted tokens."""
    (one, a), (other, b) = _gram(content[rows], content[columns]), _gram(places[rows], places[columns])
    return one * other, a + b


def _times(number, power) -> Fraction:
    return Fraction(int(number)) * Fraction(2) ** power
