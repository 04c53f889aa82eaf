"""A step of all weights of a stack by any rule: each W, or K and Q, of each head is a separate factor.

Gradient descent needs none of this: kernels.py moves along the gradient.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import INNER, call, combine, copy, shared_by_loops
from attnsvm.batch.singular import Decomposition
from attnsvm.batch.slopes import Memory, Slope, memory_of, room_for, sloping
from attnsvm.batch.vector import zeros
from attnsvm.training.optimisers.calls import Pool, empty, pooling
from attnsvm.training.stack.rows import mask, query


class Rows(NamedTuple):
    """The terms of the gradient of one W, of N rows; with those of its K and Q, which share them.

    Attributes:
        mixed, queries: (N, d). logs: (N,). The gradient of W is Σ exp(logs)·mixed·queriesᵀ.
        projected, keys: (N, m), Qᵀ·query and Kᵀ·mixed; of W no row.
        slopes: of K and Q, or of W twice.
        room: scratch of the singular value decomposition.
    """

    mixed: np.ndarray
    queries: np.ndarray
    logs: np.ndarray
    projected: np.ndarray
    keys: np.ndarray
    slopes: tuple[Slope, Slope]
    room: Decomposition


class Course(NamedTuple):
    """What a rule keeps of the F factors of all heads of all layers, and of the head's vector.

    Attributes:
        below, top: the rows of a layer.
        direction, unit, kept, kept_rows: of every factor, as in `Memory`; factor f of head h of layer l is at
            (lH + h)F + f.
        rows: scratch, as in `Memory`.
        pool: what the factors share.
        slope, memory: of the head's vector.
    """

    below: Rows
    top: Rows
    direction: np.ndarray
    unit: np.ndarray
    kept: np.ndarray
    kept_rows: np.ndarray
    rows: np.ndarray
    pool: Pool
    slope: Slope
    memory: Memory


def rows_of(count: int, factors: np.ndarray) -> Rows:
    """Room for the terms of `count` rows, for factors (L, H, F, d, m, LANES)."""
    F, d, m = factors.shape[2:5]
    mixed, queries, logs = zeros((count, d, LANES)), zeros((count, d, LANES)), zeros((count, LANES))
    projected, keys = (zeros((count * (F == 2), m, LANES)) for _ in range(2))
    of_W = sloping(mixed, queries, logs)
    slopes = (of_W, of_W) if F == 1 else (sloping(mixed, projected, logs), sloping(queries, keys, logs))
    return Rows(mixed, queries, logs, projected, keys, slopes, room_for(slopes[0]))


def course_of(
    kept: tuple[int, int], factors: np.ndarray, rows: tuple[int, int], v: np.ndarray, factor: np.ndarray
) -> Course:
    """The `Course` of a stack before the first step.

    Args:
        kept: how many matrices and rows the rule keeps of a factor.
        factors: (L, H, F, d, m, LANES), or of no layer for gradient descent, which keeps nothing.
        rows: how many rows of softmax a layer has below the top, and the top.
        v: (q, LANES), where the gradient of the head's vector is found; factor: (LANES,), its logarithmic factor.
    """
    (matrices, numbers), (d, m), count = kept, factors.shape[3:5], int(np.prod(factors.shape[:3]))
    below, top = (rows_of(number, factors) for number in rows)
    # The head's vector is a factor (q, 1), whose gradient has one term.
    slope = sloping(v.reshape(1, len(v), LANES), np.ones((1, 1, LANES)), factor.reshape(1, LANES))
    return Course(
        below,
        top,
        zeros((count, d, m, LANES)),
        zeros((count, LANES)),
        zeros((count, matrices, d, m, LANES)),
        zeros((count, numbers, LANES)),
        zeros((4, LANES)),
        pooling(),
        slope,
        memory_of(slope, matrices, numbers),
    )


@shared_by_loops
def fill(rows, model, at, layer, h):
    """Write the terms of a head's gradient."""
    R = len(mask(model, layer))
    for i in range(at.mixed.shape[2]):
        for q in range(R):
            k = i * R + q
            copy(at.mixed[layer, h, i, q], rows.mixed[k])
            copy(query(model, at, layer, i, q), rows.queries[k])
            copy(at.behind[layer, h, i, q], rows.logs[k])
    if model.factors.shape[2] == 2:
        K, Q = model.factors[layer, h, 0], model.factors[layer, h, 1]
        for k in range(len(rows.logs)):
            combine(Q, rows.queries[k], rows.projected[k])
            combine(K, rows.mixed[k], rows.keys[k])


@njit(**INNER, inline="always")
def memory_at(course, rows, k):
    """The memory of factor k, of a layer with these rows."""
    direction, unit, kept, kept_rows = course.direction[k], course.unit[k], course.kept[k], course.kept_rows[k]
    return Memory(direction, unit, course.rows, rows.room, kept, kept_rows)


@shared_by_loops
def step_by(rule, model, at, course, step):
    """One step of every factor."""
    L, H, F = model.factors.shape[:3]
    pool = course.pool
    empty(pool)
    for layer in range(L):
        rows = course.top if layer == L - 1 else course.below
        for h in range(H):
            fill(rows, model, at, layer, h)
            for f in range(F):
                memory = memory_at(course, rows, (layer * H + h) * F + f)
                call(rule.aim, rule.numbers, rows.slopes[f], model.factors[layer, h, f], memory, pool, step)
    call(rule.pace, rule.numbers, pool, step)
    for layer in range(L):
        rows = course.top if layer == L - 1 else course.below
        for h in range(H):
            for f in range(F):
                memory = memory_at(course, rows, (layer * H + h) * F + f)
                call(rule.move, rule.numbers, model.factors[layer, h, f], memory, pool, step)
            if F == 2:
                call(rule.balance, rule.numbers, model.factors[layer, h, 0], model.factors[layer, h, 1])


@shared_by_loops
def head_step_by(rule, v, course, step):
    """One step of the head's vector v (q, LANES), by itself."""
    weights, pool = v.reshape(len(v), 1, LANES), course.pool
    empty(pool)
    call(rule.aim, rule.numbers, course.slope, weights, course.memory, pool, step)
    call(rule.pace, rule.numbers, pool, step)
    call(rule.move, rule.numbers, weights, course.memory, pool, step)
