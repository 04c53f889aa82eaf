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

from attnsvm.training.lanes import LANES
from attnsvm.training.lanes.arithmetic import APART, INNER, exp, log
from attnsvm.training.lanes.vector import zeros

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
        rows: (8,) scratch.
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
    rows: np.ndarray


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
        zeros((8, LANES)),
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
    _orthonormalise(room.right, room.lower, room.rows)
    _weigh(room)
    _orthonormalise(room.left, room.lower, room.rows)
    _rotate(room)
    if pairs == 1:
        _keep_largest(room)
    _assemble(room, out)


@njit(**INNER, **APART)
def _inner(u, v, out):
    """out (LANES) = Σ_b u (b, LANES) · v (b, LANES), one term at a time."""
    for lane in range(LANES):
        out[lane] = 0.0
    for b in range(len(u)):
        for lane in range(LANES):
            out[lane] += u[b, lane] * v[b, lane]


@njit(**INNER, **APART)
def _arrange(left, right, logs, room):
    """Terms of vectors of length one, the largest first, and the quotients of their scales."""
    n, d, e = len(left), left.shape[1], right.shape[1]
    scale, order, quotient = room.scale, room.order, room.quotient
    lengths, others, keys = room.first, room.lower[0], room.core[0]
    for i in range(n):
        _inner(left[i], left[i], lengths[i])
        _inner(right[i], right[i], others[i])
        for lane in range(LANES):
            square = lengths[i, lane] * others[i, lane]
            keys[i, lane] = logs[i, lane] + 0.5 * log(square) if square > 0.0 else NOTHING
            lengths[i, lane] = 1.0 / np.sqrt(lengths[i, lane]) if square > 0.0 else 0.0
            others[i, lane] = 1.0 / np.sqrt(others[i, lane]) if square > 0.0 else 0.0
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
            for lane in range(LANES):
                quotient[i, j, lane] = exp(scale[j, lane] - scale[i, lane])


@njit(**INNER, **APART)
def _orthonormalise(vectors, lower, rows):
    """vectors = lower · (orthonormal rows, or rows of zeros), in place; Gram–Schmidt, each vector twice.

    A vector that is zero, or in the span of those before it, leaves a row of zeros.
    """
    n, size = vectors.shape[0], vectors.shape[1]
    before, along, rest = rows[0], rows[1], rows[2]
    for k in range(n):
        for j in range(n):
            for lane in range(LANES):
                lower[k, j, lane] = 0.0
        _inner(vectors[k], vectors[k], before)
        for _ in range(2):
            for j in range(k):
                _inner(vectors[j], vectors[k], along)
                for lane in range(LANES):
                    lower[k, j, lane] += along[lane]
                for b in range(size):
                    for lane in range(LANES):
                        vectors[k, b, lane] -= along[lane] * vectors[j, b, lane]
        _inner(vectors[k], vectors[k], rest)
        for lane in range(LANES):
            free = rest[lane] > DEPENDENT**2 * before[lane]
            length = np.sqrt(rest[lane])
            lower[k, k, lane] = length if free else 0.0
            along[lane] = 1.0 / length if free else 0.0
        for b in range(size):
            for lane in range(LANES):
                vectors[k, b, lane] = vectors[k, b, lane] * along[lane] if along[lane] > 0.0 else 0.0


@njit(**INNER, **APART)
def _weigh(room):
    """The rows of C, each in units of its scale, in place of the a_i: row k has terms k, k + 1, ... only."""
    left, lower, quotient, weight = room.left, room.lower, room.quotient, room.rows[0]
    n, d = left.shape[:2]
    for k in range(n):
        for a in range(d):
            for lane in range(LANES):
                left[k, a, lane] *= lower[k, k, lane]
        for i in range(k + 1, n):
            for lane in range(LANES):
                weight[lane] = lower[i, k, lane] * quotient[k, i, lane]
            for a in range(d):
                for lane in range(LANES):
                    left[k, a, lane] += weight[lane] * left[i, a, lane]


@njit(**INNER, **APART)
def _rotate(room):
    """One-sided Jacobi on the rows of M, until those of every instance are orthogonal; rows of zeros stay.

    An instance whose rows are orthogonal is not touched while others go on: it does not depend on its neighbours.
    """
    lower, rotation, quotient, first = room.lower, room.rotation, room.quotient, room.first
    n = len(lower)
    a, b, g, tau, t, c = room.rows[0], room.rows[1], room.rows[2], room.rows[3], room.rows[4], room.rows[5]
    tolerance = (5e-16 * (n + 2)) ** 2
    for k in range(n):
        _inner(lower[k], lower[k], first[k])
        for x in range(n):
            for lane in range(LANES):
                rotation[k, x, lane] = 1.0 if x == k else 0.0
    for _ in range(SWEEPS):
        moved = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                for lane in range(LANES):
                    a[lane] = 0.0
                    b[lane] = 0.0
                    g[lane] = 0.0
                for x in range(n):
                    for lane in range(LANES):
                        a[lane] += lower[i, x, lane] * lower[i, x, lane]
                        b[lane] += lower[j, x, lane] * lower[j, x, lane]
                        g[lane] += lower[i, x, lane] * lower[j, x, lane]
                turning = 0.0
                for lane in range(LANES):
                    q = quotient[i, j, lane]
                    turns = g[lane] * g[lane] > tolerance * a[lane] * b[lane]
                    difference = a[lane] - q * q * b[lane]
                    root = np.sqrt(difference * difference + 4.0 * q * q * g[lane] * g[lane])
                    divisor = difference + root if difference >= 0.0 else difference - root
                    tau[lane] = 2.0 * g[lane] / divisor if turns else 0.0
                    t[lane] = q * tau[lane]
                    c[lane] = 1.0 / np.sqrt(1.0 + t[lane] * t[lane])
                    turning += 1.0 if turns else 0.0
                if turning == 0.0:
                    continue
                moved = True
                for lane in range(LANES):
                    a[lane] = 0.0
                    b[lane] = 0.0
                for x in range(n):
                    for lane in range(LANES):
                        upper, under = lower[i, x, lane], lower[j, x, lane]
                        upper_, under_ = (
                            c[lane] * (upper + t[lane] * quotient[i, j, lane] * under),
                            c[lane] * (under - tau[lane] * upper),
                        )
                        lower[i, x, lane] = upper_
                        lower[j, x, lane] = under_
                        a[lane] += upper_ * upper_
                        b[lane] += under_ * under_
                        upper, under = rotation[i, x, lane], rotation[j, x, lane]
                        rotation[i, x, lane] = c[lane] * (upper + t[lane] * under)
                        rotation[j, x, lane] = c[lane] * (under - t[lane] * upper)
                for lane in range(LANES):  # what rounding leaves of a dependent row must not count as a direction
                    a[lane] = 0.0 if a[lane] <= DEPENDENT**2 * first[i, lane] else 1.0
                    b[lane] = 0.0 if b[lane] <= DEPENDENT**2 * first[j, lane] else 1.0
                for x in range(n):
                    for lane in range(LANES):
                        lower[i, x, lane] *= a[lane]
                        lower[j, x, lane] *= b[lane]
        if not moved:
            break


@njit(**INNER, **APART)
def _keep_largest(room):
    """Zeros in the rows of M but for that with the largest singular value."""
    lower, scale, best, where, size = room.lower, room.scale, room.rows[0], room.rows[1], room.rows[2]
    n = len(lower)
    for lane in range(LANES):
        best[lane] = -np.inf
        where[lane] = 0.0
    for k in range(n):
        _inner(lower[k], lower[k], size)
        for lane in range(LANES):
            value = scale[k, lane] + 0.5 * log(size[lane]) if size[lane] > 0.0 else -np.inf
            where[lane] = k if value > best[lane] else where[lane]
            best[lane] = max(best[lane], value)
    for k in range(n):
        for x in range(n):
            for lane in range(LANES):
                lower[k, x, lane] = lower[k, x, lane] if where[lane] == k else 0.0


@njit(**INNER, **APART)
def _assemble(room, out):
    """Σ_k (the k-th row of M, divided by its length, times P)ᵀ (the k-th row of the rotation times R)."""
    lower, rotation, core, left, right = room.lower, room.rotation, room.core, room.left, room.right
    n, size, half = len(lower), room.rows[0], room.quotient
    for k in range(n):
        _inner(lower[k], lower[k], size)
        for lane in range(LANES):
            size[lane] = 1.0 / np.sqrt(size[lane]) if size[lane] > 0.0 else 0.0
        for x in range(n):
            for lane in range(LANES):
                lower[k, x, lane] *= size[lane]
    for y in range(n):
        for x in range(n):
            for lane in range(LANES):
                core[y, x, lane] = 0.0
            for k in range(n):
                for lane in range(LANES):
                    core[y, x, lane] += lower[k, y, lane] * rotation[k, x, lane]
    d, e = out.shape[:2]
    for a in range(d):
        for x in range(n):
            for lane in range(LANES):
                half[0, x, lane] = 0.0
            for y in range(n):
                for lane in range(LANES):
                    half[0, x, lane] += left[y, a, lane] * core[y, x, lane]
        for b in range(e):
            for lane in range(LANES):
                out[a, b, lane] = 0.0
            for x in range(n):
                for lane in range(LANES):
                    out[a, b, lane] += half[0, x, lane] * right[x, b, lane]
