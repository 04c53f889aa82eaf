"""The compiled loops for the rules of rules.py: weights as matrices, gradients as sums of products of vectors.

The Gram loop of kernels.py never forms W. Most rules look at single entries or singular values of the gradient, so that
W and its gradient are formed here.
"""

import numpy as np
from numba import njit
from numba.extending import overload

from attnsvm.lanes.arithmetic import LANES, OPTIONS, combine, dot, exp
from attnsvm.lanes.slopes import Slope, flatten, remembering, sum_of_squares
from attnsvm.training.kernels import Factors, Group, Record, evaluate, log_pass, prepared
from attnsvm.training.rules import Steered, scheduled


def direct(rule, slope, memory, step):
    """`rule.direct`, for compiled code."""


def settle(rule, first, second):
    """`rule.settle`, for compiled code."""


def apply(rule, weights, memory, rate, step):
    """`rule.apply`, for compiled code."""


@overload(direct, strict=False, jit_options=OPTIONS)
def _direct(rule, slope, memory, step):
    return rule.instance_class.direct


@overload(settle, strict=False, jit_options=OPTIONS)
def _settle(rule, first, second):
    return rule.instance_class.settle


@overload(apply, strict=False, jit_options=OPTIONS)
def _apply(rule, weights, memory, rate, step):
    return rule.instance_class.apply


@njit(**OPTIONS)
def sloping(left, right, logs):
    """A `Slope` with room to be flattened."""
    n, d, e = len(left), left.shape[1], right.shape[1]
    return Slope(left, right, logs, np.empty(LANES), np.empty((d, e, LANES)), np.empty((n, d, LANES)))


def whole(group: Group, factors: Factors, rule: Steered, record: Record) -> None:
    """Descent on W = factors.K (d, e, LANES), in place; factors.Q is not read. record.weights: (L, d, e, LANES)."""
    W, X, Z = factors.K, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    at = prepared(group, record.probabilities)
    logits, row, mixed = np.empty((n, T, LANES)), np.empty((d, LANES)), np.empty((n, d, LANES))
    slope = sloping(mixed, Z, at.own)
    memory = remembering(slope)
    rate, size = np.empty(LANES), np.empty(LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            for a in range(d):
                dot(W[a], Z[i], row[a])
            for t in range(T):
                dot(X[i, t], row, logits[i, t])
        evaluate(logits, group, at, True)
        for i in range(n):
            combine(X[i], at.direction[i], mixed[i])
        if step == record.kept[slot]:
            flatten(slope)
            sum_of_squares(slope.matrix, size)
            for lane in range(LANES):
                record.norms[slot, lane] = np.sqrt(size[lane]) * exp(slope.common[lane])
            record.weights[slot] = W
            log_pass(record, slot, group.labels, at)
            slot += 1
        direct(rule, slope, memory, step)
        sum_of_squares(W, size)
        scheduled(rule.learning_rate, rule.schedule, step, size, rate)
        apply(rule, W, memory, rate, step)


def both(group: Group, factors: Factors, balanced: bool, rule: Steered, record: Record) -> None:
    """Descent on (K, Q), in place. record.weights: (L, d + e, m, LANES), K above Q."""
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    m = K.shape[1]
    at = prepared(group, record.probabilities)
    logits, row, mixed = np.empty((n, T, LANES)), np.empty((d, LANES)), np.empty((n, d, LANES))
    projected, keys = np.empty((n, m, LANES)), np.empty((n, m, LANES))
    slope_K, slope_Q = sloping(mixed, projected, at.own), sloping(Z, keys, at.own)
    memory_K, memory_Q = remembering(slope_K), remembering(slope_Q)
    slopes, memories, moving = (slope_K, slope_Q), (memory_K, memory_Q), (K, Q)
    rate, size, other = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            combine(Q, Z[i], projected[i])
            for a in range(d):
                dot(K[a], projected[i], row[a])
            for t in range(T):
                dot(X[i, t], row, logits[i, t])
        evaluate(logits, group, at, True)
        for i in range(n):
            combine(X[i], at.direction[i], mixed[i])
            combine(K, mixed[i], keys[i])
        if step == record.kept[slot]:
            flatten(slope_K)
            flatten(slope_Q)
            sum_of_squares(slope_K.matrix, size)
            sum_of_squares(slope_Q.matrix, other)
            for lane in range(LANES):
                record.norms[slot, lane] = np.sqrt(size[lane] + other[lane]) * exp(slope_K.common[lane])
            record.weights[slot, :d] = K
            record.weights[slot, d:] = Q
            log_pass(record, slot, group.labels, at)
            slot += 1
        for f in range(2):  # a loop: the rule is compiled once for both factors
            direct(rule, slopes[f], memories[f], step)
        settle(rule, memory_K, memory_Q)
        sum_of_squares(K, size)
        sum_of_squares(Q, other)
        for lane in range(LANES):
            size[lane] += other[lane]
        scheduled(rule.learning_rate, rule.schedule, step, size, rate)
        for f in range(2):
            apply(rule, moving[f], memories[f], rate, step)
        if balanced:
            balance(K, Q, size, other)


@njit(**OPTIONS)
def balance(K, Q, size, other):
    """Make ‖K‖ = ‖Q‖ without moving K Qᵀ; size and other (LANES) are scratch."""
    sum_of_squares(K, size)
    sum_of_squares(Q, other)
    for lane in range(LANES):
        size[lane] = np.sqrt(np.sqrt(other[lane] / size[lane])) if size[lane] * other[lane] > 0.0 else 1.0
    for a in range(len(K)):
        for b in range(K.shape[1]):
            for lane in range(LANES):
                K[a, b, lane] *= size[lane]
    for a in range(len(Q)):
        for b in range(Q.shape[1]):
            for lane in range(LANES):
                Q[a, b, lane] /= size[lane]
