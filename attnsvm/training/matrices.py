"""The compiled loop for any rule: weights as matrices, gradients as sums of products of vectors.

The Gram loop of kernels.py never forms W. Most rules look at single entries or singular values of the gradient, so that
W and its gradient are formed here.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.training.kernels import Factors, Group, Record, evaluate, log_pass, prepared
from attnsvm.training.lanes.arithmetic import LANES, combine, copy, exp, matvec
from attnsvm.training.lanes.slopes import flatten, room_for, sloping, sum_of_squares
from attnsvm.training.rules.protocol import aim, balance, empty, memory_of, move, pace, pooling


def by_rule(group: Group, factors: Factors, rule: NamedTuple, record: Record) -> None:
    """Descent on (K, Q), or on W in the place of K, in place. record.weights: (L, d + e, m, LANES), K above Q; or W.

    With W, z_i stands in the place of Qᵀz_i.
    """
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    m, pair = K.shape[1], len(Q) > 0
    at = prepared(group, record.probabilities)
    logits, row, mixed = np.empty((n, T, LANES)), np.empty((d, LANES)), np.empty((n, d, LANES))
    projected, keys = np.empty((n, m, LANES)) if pair else Z, np.empty((n, m * pair, LANES))
    slope_K, slope_Q = sloping(mixed, projected, at.by_input), sloping(Z, keys, at.by_input)
    slopes, moving = (slope_K, slope_Q), (K, Q)
    memories = memory_of(rule, slope_K, room_for(slope_K)), memory_of(rule, slope_Q, room_for(slope_Q))
    pool, size, other = pooling(), np.empty(LANES), np.zeros(LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            if pair:
                combine(Q, Z[i], projected[i])
            matvec(K, projected[i], row)
            matvec(X[i], row, logits[i])
        evaluate(logits, group, at, True)
        for i in range(n):
            combine(X[i], at.direction[i], mixed[i])
            if pair:
                combine(K, mixed[i], keys[i])
        if step == record.kept[slot]:
            flatten(slope_K)
            sum_of_squares(slope_K.matrix, size)
            if pair:
                flatten(slope_Q)
                sum_of_squares(slope_Q.matrix, other)
            for lane in range(LANES):
                record.norms[slot, lane] = np.sqrt(size[lane] + other[lane]) * exp(slope_K.common[lane])
            copy(K, record.weights[slot, :d])
            copy(Q, record.weights[slot, d:])
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        empty(pool)
        for f in range(1 + pair):  # a loop: the rule is compiled once for both factors
            aim(rule, slopes[f], moving[f], memories[f], pool, step)
        pace(rule, pool, step)
        for f in range(1 + pair):
            move(rule, moving[f], memories[f], pool, step)
        if pair:
            balance(rule, K, Q)
