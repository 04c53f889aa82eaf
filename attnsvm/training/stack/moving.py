"""A step of all weights of a stack by any rule: each W, or K and Q, of each head is a separate factor."""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.training.heads.calls import parameters
from attnsvm.training.lanes.arithmetic import INNER, LANES, combine, copy, shared_by_loops
from attnsvm.training.lanes.slopes import Slope, room_for, sloping
from attnsvm.training.rules.protocol import Pool, aim, balance, empty, memory_of, move, pace, pooling
from attnsvm.training.stack.rows import mask, query


class Rows(NamedTuple):
    """The terms of the gradient of one W, of N rows; with those of its K and Q, which share them.

    Attributes:
        mixed, queries: (N, d). logs: (N,). The gradient of W is Σ exp(logs)·mixed·queriesᵀ.
        projected, keys: (N, m), Qᵀ·query and Kᵀ·mixed.
        slopes: of W, or of K and Q.
    """

    mixed: np.ndarray
    queries: np.ndarray
    logs: np.ndarray
    projected: np.ndarray
    keys: np.ndarray
    slopes: list[Slope]


class Course(NamedTuple):
    """What a rule keeps of the F factors of all heads of all layers: factor f of head h of layer l is at (lH + h)F + f.

    Attributes:
        below, top: the rows of a layer.
        memories: of every factor.
        pool: what they share.
    """

    below: Rows
    top: Rows
    memories: list
    pool: Pool


@njit(**INNER)
def rows_of(count, factors):
    """Room for the terms of `count` rows, for factors (F, d, m)."""
    F, d, m = factors.shape[:3]
    pair = F == 2
    mixed, queries, logs = np.empty((count, d, LANES)), np.empty((count, d, LANES)), np.empty((count, LANES))
    projected, keys = np.empty((count * pair, m, LANES)), np.empty((count * pair, m, LANES))
    slopes = [sloping(mixed, projected if pair else queries, logs)]
    if pair:
        slopes.append(sloping(queries, keys, logs))
    return Rows(mixed, queries, logs, projected, keys, slopes)


@njit(**INNER)
def course_of(rule, model):
    """The `Course` of a stack before the first step."""
    L, H, F = model.factors.shape[:3]
    n = len(model.tokens)
    below, top = rows_of(n * len(model.below), model.factors[0, 0]), rows_of(n * len(model.top), model.factors[0, 0])
    rooms, rooms_top = [room_for(slope) for slope in below.slopes], [room_for(slope) for slope in top.slopes]
    memories = []
    for layer in range(L):
        last = layer == L - 1
        for _ in range(H):
            for f in range(F):
                slope = top.slopes[f] if last else below.slopes[f]
                memories.append(memory_of(rule, slope, rooms_top[f] if last else rooms[f]))
    return Course(below, top, memories, pooling())


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


def step_by(rule, model, at, course, step):
    """One step of every factor."""
    L, H, F = model.factors.shape[:3]
    memories, pool = course.memories, course.pool
    empty(pool)
    for layer in range(L):
        rows = course.top if layer == L - 1 else course.below
        for h in range(H):
            fill(rows, model, at, layer, h)
            for f in range(F):
                memory = memories[(layer * H + h) * F + f]
                aim(rule, rows.slopes[f], model.factors[layer, h, f], memory, pool, step)
    pace(rule, pool, step)
    for layer in range(L):
        for h in range(H):
            for f in range(F):
                move(rule, model.factors[layer, h, f], memories[(layer * H + h) * F + f], pool, step)
            if F == 2:
                balance(rule, model.factors[layer, h, 0], model.factors[layer, h, 1])


class Alone(NamedTuple):
    """What a rule keeps of the head's vector."""

    slope: Slope
    memory: NamedTuple
    pool: Pool


@njit(**INNER)
def course_of_head(rule, at):
    """The `Alone` of a head's vector before the first step: a factor (d, 1), whose gradient has one term."""
    d = len(at.head)
    slope = sloping(at.head.reshape(1, d, LANES), np.ones((1, 1, LANES)), at.head_factor.reshape(1, LANES))
    return Alone(slope, memory_of(rule, slope, room_for(slope)), pooling())


def courses(rule, model, at):
    """What the rule keeps of the factors, and of the head's vector."""
    return course_of(rule, model), course_of_head(rule, at)


def head_step_by(rule, head, at, course, step):
    """One step of the head's vector (d, LANES), by itself."""
    (slope, memory, pool), v = course, parameters(head)
    weights = v.reshape(len(v), 1, LANES)
    empty(pool)
    aim(rule, slope, weights, memory, pool, step)
    pace(rule, pool, step)
    move(rule, weights, memory, pool, step)
