"""The compiled loop for all other rules: weights as matrices, gradients as sums of products of vectors.

The Gram loop of kernels.py never forms W. Most rules look at single entries or singular values of the gradient, so that
W and its gradient are formed here.
"""

from typing import NamedTuple

from numba.core.ccallback import CFunc

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import call, combine, copy, exp, matvec
from attnsvm.batch.slopes import Memory, Slope, flatten, memory_of, sloping, squares
from attnsvm.batch.vector import load, root, store, zeros
from attnsvm.training.kernels import Factors, Group, Pass, Record, log_pass
from attnsvm.training.optimisers.calls import Mover, Pool, empty, pooling


class Course(NamedTuple):
    """What a rule has of K and Q, or of W in the place of K: the gradient and a memory of each, and what they share."""

    slopes: tuple[Slope, Slope]
    memories: tuple[Memory, Memory]
    pool: Pool


def course_of(factors: Factors, at: Pass, rule: Mover) -> Course:
    """Room for the descent of a group; the gradients have the terms of the passes `at`."""
    n, d, m, pair = len(factors.queries), factors.tokens.shape[2], factors.K.shape[1], len(factors.Q) > 0
    projected = zeros((n, m, LANES)) if pair else factors.queries
    slope_K = sloping(zeros((n, d, LANES)), projected, at.by_input)
    slope_Q = sloping(factors.queries, zeros((n, m * pair, LANES)), at.by_input)
    memory_K, memory_Q = (memory_of(slope, rule.matrices, rule.rows) for slope in (slope_K, slope_Q))
    return Course((slope_K, slope_Q), (memory_K, memory_Q), pooling())


def by_rule(
    evaluate: CFunc, group: Group, at: Pass, factors: Factors, course: Course, rule: Mover, record: Record
) -> None:
    """Descent on (K, Q), or on W in the place of K, in place. record.weights: (L, d + e, m, LANES), K above Q; or W.

    With W, z_i stands in the place of Qᵀz_i.
    """
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    pair, moving = len(Q) > 0, (K, Q)
    slopes, memories, pool = course
    slope_K, slope_Q = slopes
    mixed, projected, keys = slope_K.left, slope_K.right, slope_Q.right
    logits, row = zeros((n, T, LANES)), zeros((d, LANES))
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            if pair:
                combine(Q, Z[i], projected[i])
            matvec(K, projected[i], row)
            matvec(X[i], row, logits[i])
        call(evaluate, logits, group, at, True)
        for i in range(n):
            combine(X[i], at.direction[i], mixed[i])
            if pair:
                combine(K, mixed[i], keys[i])
        if step == record.kept[slot]:
            flatten(slope_K)
            size = squares(slope_K.matrix)
            if pair:
                flatten(slope_Q)
                size = size + squares(slope_Q.matrix)
            store(record.norms[slot], root(size) * exp(load(slope_K.common)))
            copy(K, record.weights[slot, :d])
            copy(Q, record.weights[slot, d:])
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        empty(pool)
        for f in range(1 + pair):
            call(rule.aim, rule.numbers, slopes[f], moving[f], memories[f], pool, step)
        call(rule.pace, rule.numbers, pool, step)
        for f in range(1 + pair):
            call(rule.move, rule.numbers, moving[f], memories[f], pool, step)
        if pair:
            call(rule.balance, rule.numbers, K, Q)
