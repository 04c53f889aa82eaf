"""The polar factor and the leading singular pair of G = Σ_i exp(s_i) a_i z_iᵀ, exact at any differences of the s_i.

In saturation the gradients of two inputs differ by hundreds of orders of magnitude. In the polar factor the smaller one
still counts fully, in the directions that the larger one leaves free: added up in one matrix it would be lost. So G is
never added up. The z_i, largest term first, are L·R with orthonormal rows R and L lower triangular; then the rows of
C = Lᵀ diag(exp s) A keep the scales exp(s_k), and so do those of M in C = diag(exp s) M·P, P with orthonormal rows.
One-sided Jacobi rotates the rows of diag(exp s) M, and sees of the scales only the quotients of two of them: small
singular values and their vectors come out to their own last digits (Demmel and Veselić, SIAM J. Matrix Anal. Appl. 13,
1992), even where the quotient underflows. LAPACK's SVD and Newton–Schulz are exact relative to the largest singular
value only.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import APART, INNER, exp, log
from attnsvm.batch.vector import anywhere, each, larger, load, root, store, where, zeros

DEPENDENT = 1e-12  # of a vector: what is left of it outside the span of others, and is taken for rounding
SWEEPS = 40  # far more than are ever needed: about six
NOTHING = -1e300  # the logarithm of zero


class Decomposition(NamedTuple):
    """Scratch for n terms of length d and e; behind each, its shape without the lanes.

    Attributes:
        order: (n,) int, the terms, the largest first.
        scale: (n,), s in that order; quotient: (n, n), exp(s_j − s_i) for j ≥ i.
        left: (n, d), a_i, then C, then P; right: (n, e), z_i, then R.
        lower: (n, n), L, then M; rotation: (n, n), of the rows; core: (n, n).
        first: (n,), the squared lengths of the rows of M before any rotation.
    """

    order: np.ndarray
    scale: np.ndarray
    quotient: np.ndarray
    left: np.ndarray
    right: np.ndarray
    lower: np.ndarray
    rotation: np.ndarray
    core: np.ndarray
    first: np.ndarray


def decomposition(n: int, d: int, e: int) -> Decomposition:
    """Room for `polar`."""
    return Decomposition(
        np.empty((n, LANES), dtype=np.int64),
        zeros((n, LANES)),
        zeros((n, n, LANES)),
        zeros((n, d, LANES)),
        zeros((n, e, LANES)),
        zeros((n, n, LANES)),
        zeros((n, n, LANES)),
        zeros((n, n, LANES)),
        zeros((n, LANES)),
    )


@njit(**INNER, inline="always")  # a function of its own would be compiled twice: by itself, and in what calls it
def polar(left, right, logs, room, pairs, out):
    """out (d, e, LANES): U Vᵀ over the singular pairs of Σ_i exp(logs_i) left_i right_iᵀ, no pair with value zero.

    Args:
        left: (n, d, LANES); right: (n, e, LANES); logs: (n, LANES).
        room: a `Decomposition`.
        pairs: how many pairs, the largest; either 1 or all, n.
    """
    _arrange(left, right, logs, room)
    _orthonormalise(room.right, room.lower)
    _weigh(room)
    _orthonormalise(room.left, room.lower)
    _rotate(room)
    if pairs == 1:
        _keep_largest(room)
    _assemble(room, out)


@njit(**INNER, **APART)
def _inner(u, v):
    """The vector Σ_b u (b, LANES) · v (b, LANES), one term at a time."""
    total = each(0.0)
    for b in range(len(u)):
        total = total + load(u[b]) * load(v[b])
    return total


@njit(**INNER, **APART)
def _arrange(left, right, logs, room):
    """Terms of vectors of length one, the largest first, and the quotients of their scales."""
    n, d, e = len(left), left.shape[1], right.shape[1]
    scale, order, quotient = room.scale, room.order, room.quotient
    lengths, others, keys = room.first, room.lower[0], room.core[0]
    for i in range(n):
        of_left, of_right = _inner(left[i], left[i]), _inner(right[i], right[i])
        square = of_left * of_right
        store(keys[i], where(square > 0.0, load(logs[i]) + 0.5 * log(square), NOTHING))
        store(lengths[i], where(square > 0.0, 1.0 / root(of_left), 0.0))
        store(others[i], where(square > 0.0, 1.0 / root(of_right), 0.0))
    for lane in range(LANES):
        for i in range(n):
            k = i
            while k > 0 and keys[order[k - 1, lane], lane] < keys[i, lane]:
                order[k, lane] = order[k - 1, lane]
                k -= 1
            order[k, lane] = i
    for k in range(n):
        for lane in range(LANES):
            i = order[k, lane]
            scale[k, lane] = keys[i, lane]
            for a in range(d):
                room.left[k, a, lane] = left[i, a, lane] * lengths[i, lane]
            for b in range(e):
                room.right[k, b, lane] = right[i, b, lane] * others[i, lane]
    for i in range(n):
        for j in range(i, n):
            store(quotient[i, j], exp(load(scale[j]) - load(scale[i])))


@njit(**INNER, **APART)
def _orthonormalise(vectors, lower):
    """vectors = lower · (orthonormal rows, or rows of zeros), in place; Gram–Schmidt, each vector twice.

    A vector that is zero, or in the span of those before it, leaves a row of zeros.
    """
    n, size = vectors.shape[0], vectors.shape[1]
    for k in range(n):
        for j in range(n):
            store(lower[k, j], each(0.0))
        before = _inner(vectors[k], vectors[k])
        for _ in range(2):
            for j in range(k):
                along = _inner(vectors[j], vectors[k])
                store(lower[k, j], load(lower[k, j]) + along)
                for b in range(size):
                    store(vectors[k, b], load(vectors[k, b]) - along * load(vectors[j, b]))
        rest = _inner(vectors[k], vectors[k])
        length, free = root(rest), rest > DEPENDENT**2 * before
        store(lower[k, k], where(free, length, 0.0))
        unit = where(free, 1.0 / length, 0.0)
        for b in range(size):
            store(vectors[k, b], where(unit > 0.0, load(vectors[k, b]) * unit, 0.0))


@njit(**INNER, **APART)
def _weigh(room):
    """The rows of C, each in units of its scale, in place of the a_i: row k has terms k, k + 1, ... only."""
    left, lower, quotient = room.left, room.lower, room.quotient
    n, d = left.shape[:2]
    for k in range(n):
        own = load(lower[k, k])
        for a in range(d):
            store(left[k, a], load(left[k, a]) * own)
        for i in range(k + 1, n):
            weight = load(lower[i, k]) * load(quotient[k, i])
            for a in range(d):
                store(left[k, a], load(left[k, a]) + weight * load(left[i, a]))


@njit(**INNER, **APART)
def _rotate(room):
    """One-sided Jacobi on the rows of M, until those of every instance are orthogonal; rows of zeros stay.

    An instance whose rows are orthogonal is not touched while others go on: it does not depend on its neighbours.
    """
    lower, rotation, quotient, first = room.lower, room.rotation, room.quotient, room.first
    n = len(lower)
    tolerance = (5e-16 * (n + 2)) ** 2
    for k in range(n):
        store(first[k], _inner(lower[k], lower[k]))
        for x in range(n):
            store(rotation[k, x], each(1.0 if x == k else 0.0))
    for _ in range(SWEEPS):
        moved = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                a, b, g = _inner(lower[i], lower[i]), _inner(lower[j], lower[j]), _inner(lower[i], lower[j])
                turns = g * g > tolerance * a * b
                if not anywhere(turns):
                    continue
                moved = True
                q = load(quotient[i, j])
                difference = a - q * q * b
                far = root(4.0 * q * q * g * g + difference * difference)
                divisor = where(difference >= 0.0, difference + far, difference - far)
                tau = where(turns, 2.0 * g / divisor, 0.0)
                t = q * tau
                c = 1.0 / root(1.0 + t * t)
                a, b = each(0.0), each(0.0)
                for x in range(n):
                    upper, under = load(lower[i, x]), load(lower[j, x])
                    upper, under = c * (upper + t * q * under), c * (under - tau * upper)
                    store(lower[i, x], upper)
                    store(lower[j, x], under)
                    a = a + upper * upper
                    b = b + under * under
                    upper, under = load(rotation[i, x]), load(rotation[j, x])
                    store(rotation[i, x], c * (upper + t * under))
                    store(rotation[j, x], c * (under - t * upper))
                # what rounding leaves of a dependent row must not count as a direction
                a = where(a <= DEPENDENT**2 * load(first[i]), 0.0, 1.0)
                b = where(b <= DEPENDENT**2 * load(first[j]), 0.0, 1.0)
                for x in range(n):
                    store(lower[i, x], load(lower[i, x]) * a)
                    store(lower[j, x], load(lower[j, x]) * b)
        if not moved:
            break


@njit(**INNER, **APART)
def _keep_largest(room):
    """Zeros in the rows of M but for that with the largest singular value."""
    lower, n = room.lower, len(room.lower)
    best, place = each(-np.inf), each(0.0)
    for k in range(n):
        size = _inner(lower[k], lower[k])
        value = where(size > 0.0, load(room.scale[k]) + 0.5 * log(size), -np.inf)
        place = where(value > best, k, place)
        best = larger(best, value)
    for k in range(n):
        for x in range(n):
            store(lower[k, x], where(place == k, load(lower[k, x]), 0.0))


@njit(**INNER, **APART)
def _assemble(room, out):
    """Σ_k (the k-th row of M, divided by its length, times P)ᵀ (the k-th row of the rotation times R)."""
    lower, rotation, core, left, right = room.lower, room.rotation, room.core, room.left, room.right
    n, half = len(lower), room.quotient[0]
    for k in range(n):
        size = _inner(lower[k], lower[k])
        unit = where(size > 0.0, 1.0 / root(size), 0.0)
        for x in range(n):
            store(lower[k, x], load(lower[k, x]) * unit)
    for y in range(n):
        for x in range(n):
            total = each(0.0)
            for k in range(n):
                total = total + load(lower[k, y]) * load(rotation[k, x])
            store(core[y, x], total)
    d, e = out.shape[:2]
    for a in range(d):
        for x in range(n):
            total = each(0.0)
            for y in range(n):
                total = total + load(left[y, a]) * load(core[y, x])
            store(half[x], total)
        for b in range(e):
            total = each(0.0)
            for x in range(n):
                total = total + load(half[x]) * load(right[x, b])
            store(out[a, b], total)
