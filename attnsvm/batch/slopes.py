"""The gradient of one factor of the weights as a sum of outer products, and what a rule keeps of the factor.

The terms Σ_i exp(logs_i) left_i right_iᵀ differ by hundreds of orders of magnitude once a softmax saturates; they are
added up in the unit of the largest one, or not at all (`singular.polar`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit, typeof

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import APART, INNER, exp, shared_by_loops
from attnsvm.batch.singular import Decomposition, decomposition
from attnsvm.batch.vector import each, larger, load, store, zeros

SMALLEST = 1e-140  # below it the square of a norm underflows: better no step than one of any length


class Slope(NamedTuple):
    """The gradient Σ_i exp(logs_i) left_i right_iᵀ of one factor.

    Attributes:
        left: (n, d, LANES); right: (n, e, LANES); logs: (n, LANES).
        common: (LANES,), the largest of the logs; see `flatten`.
        matrix: (d, e, LANES), the gradient divided by exp(common); see `flatten`.
        scaled: (n, d, LANES) scratch.
    """

    left: np.ndarray
    right: np.ndarray
    logs: np.ndarray
    common: np.ndarray
    matrix: np.ndarray
    scaled: np.ndarray


class Memory(NamedTuple):
    """A rule's room for one factor.

    Attributes:
        direction: (d, e, LANES), where the factor goes, divided by exp(unit). unit: (LANES,), zero at first.
        rows: (4, LANES) scratch.
        room: scratch of the singular value decomposition.
        kept: (k, d, e, LANES), matrices that the rule keeps of the factor from step to step, zero at first.
        kept_rows: (r, LANES), as many numbers as it keeps, zero at first.
    """

    direction: np.ndarray
    unit: np.ndarray
    rows: np.ndarray
    room: Decomposition
    kept: np.ndarray
    kept_rows: np.ndarray


def sloping(left: np.ndarray, right: np.ndarray, logs: np.ndarray) -> Slope:
    """A `Slope` with room to be flattened."""
    n, d, e = len(left), left.shape[1], right.shape[1]
    return Slope(left, right, logs, zeros((LANES,)), zeros((d, e, LANES)), zeros((n, d, LANES)))


def room_for(slope: Slope) -> Decomposition:
    """Scratch to decompose a slope of these shapes."""
    return decomposition(len(slope.left), *slope.matrix.shape[:2])


def memory_of(slope: Slope, matrices: int, rows: int) -> Memory:
    """The `Memory` of a factor before the first step, of a rule that keeps so many matrices and rows."""
    d, e = slope.matrix.shape[:2]
    kept, kept_rows = zeros((matrices, d, e, LANES)), zeros((rows, LANES))
    return Memory(zeros((d, e, LANES)), zeros((LANES,)), zeros((4, LANES)), room_for(slope), kept, kept_rows)


@shared_by_loops
def flatten(slope):
    """Add the gradient up in the unit of its largest term: slope.matrix and slope.common."""
    left, right, logs, common, matrix, scaled = slope
    n, d, e = len(left), matrix.shape[0], matrix.shape[1]
    top = load(logs[0])
    for i in range(1, n):
        top = larger(top, load(logs[i]))
    store(common, top)
    for i in range(n):
        share = exp(load(logs[i]) - top)
        for a in range(d):
            store(scaled[i, a], load(left[i, a]) * share)
    whole = n - n % 2
    for a in range(d):
        for b in range(e):
            total = each(0.0)
            for i in range(0, whole, 2):
                total = total + (
                    load(scaled[i, a]) * load(right[i, b]) + load(scaled[i + 1, a]) * load(right[i + 1, b])
                )
            for i in range(whole, n):
                total = total + load(scaled[i, a]) * load(right[i, b])
            store(matrix[a, b], total)


@njit(**INNER, **APART)
def squares(A):
    """The vector Σ A²."""
    total = each(0.0)
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            total = total + load(A[a, b]) * load(A[a, b])
    return total


@njit(**INNER, **APART)
def largest(A):
    """The vector max |A|, at least the smallest number that counts."""
    top = each(SMALLEST)
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            top = larger(top, abs(load(A[a, b])))
    return top


_SLOPE = sloping(*(zeros((1,) * count + (LANES,)) for count in (2, 2, 1)))
SLOPE, MEMORY = typeof(_SLOPE), typeof(memory_of(_SLOPE, 1, 1))  # their types, for what loops call
