"""The gradient of one factor of the weights as a sum of outer products, and what a rule keeps of the factor.

The terms Σ_i exp(logs_i) left_i right_iᵀ differ by hundreds of orders of magnitude once a softmax saturates; they are
added up in the unit of the largest one, or not at all (`singular.polar`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit, typeof

from attnsvm.training.lanes.arithmetic import APART, INNER, LANES, exp, shared_by_loops
from attnsvm.training.lanes.singular import Decomposition, decomposition

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
    return Slope(left, right, logs, np.empty(LANES), np.empty((d, e, LANES)), np.empty((n, d, LANES)))


def room_for(slope: Slope) -> Decomposition:
    """Scratch to decompose a slope of these shapes."""
    return decomposition(len(slope.left), *slope.matrix.shape[:2])


def memory_of(slope: Slope, matrices: int, rows: int) -> Memory:
    """The `Memory` of a factor before the first step, of a rule that keeps so many matrices and rows."""
    d, e = slope.matrix.shape[:2]
    kept, kept_rows = np.zeros((matrices, d, e, LANES)), np.zeros((rows, LANES))
    return Memory(np.zeros((d, e, LANES)), np.zeros(LANES), np.zeros((4, LANES)), room_for(slope), kept, kept_rows)


@shared_by_loops
def flatten(slope):
    """Add the gradient up in the unit of its largest term: slope.matrix and slope.common."""
    left, right, logs, common, matrix, scaled = slope
    n, d, e = len(left), matrix.shape[0], matrix.shape[1]
    for lane in range(LANES):
        common[lane] = logs[0, lane]
    for i in range(1, n):
        for lane in range(LANES):
            common[lane] = max(common[lane], logs[i, lane])
    for i in range(n):
        for a in range(d):
            for lane in range(LANES):
                scaled[i, a, lane] = left[i, a, lane]
        weight = scaled[i]
        for lane in range(LANES):
            share = exp(logs[i, lane] - common[lane])
            for a in range(d):
                weight[a, lane] *= share
    whole = n - n % 2
    for a in range(d):
        for b in range(e):
            for lane in range(LANES):
                matrix[a, b, lane] = 0.0
            for i in range(0, whole, 2):
                for lane in range(LANES):
                    matrix[a, b, lane] += (
                        scaled[i, a, lane] * right[i, b, lane] + scaled[i + 1, a, lane] * right[i + 1, b, lane]
                    )
            for i in range(whole, n):
                for lane in range(LANES):
                    matrix[a, b, lane] += scaled[i, a, lane] * right[i, b, lane]


@njit(**INNER, **APART)
def sum_of_squares(A, out):
    """out (LANES) = Σ A²."""
    for lane in range(LANES):
        out[lane] = 0.0
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            for lane in range(LANES):
                out[lane] += A[a, b, lane] * A[a, b, lane]


@njit(**INNER, **APART)
def largest(A, out):
    """out (LANES) = max |A|, at least the smallest number that counts."""
    for lane in range(LANES):
        out[lane] = SMALLEST
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            for lane in range(LANES):
                out[lane] = max(out[lane], abs(A[a, b, lane]))


_SLOPE = sloping(*(np.empty((1,) * count + (LANES,)) for count in (2, 2, 1)))
SLOPE, MEMORY = typeof(_SLOPE), typeof(memory_of(_SLOPE, 1, 1))  # their types, for what loops call
