"""The descent loops as compiled code: LANES instances at a time, all their steps while their data lie in the cache.

The arithmetic is that of on_device.py. A kernel is handed NamedTuples. Each is compiled once, for all heads:
a head brings the address of its readout.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core.ccallback import CFunc

from attnsvm.training.heads.base import READER, Reader
from attnsvm.training.lanes.arithmetic import (
    APART,
    INNER,
    LANES,
    OPTIONS,
    call,
    called_from_loops,
    combine,
    copy,
    dot,
    exp,
    matvec,
    shared_by_loops,
)
from attnsvm.training.lanes.slopes import sum_of_squares
from attnsvm.training.lanes.softmax import anchor, behind, close
from attnsvm.training.rules.gradient_descent import GradientDescent


class Group(NamedTuple):
    """What LANES instances learn from.

    Attributes:
        barrier: (n, T, LANES), 0, or −∞ for a token shut out.
        values: (n, T, p, LANES), the head's.
        labels: (n, LANES).
        head: the head.
    """

    barrier: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    head: Reader


class Record(NamedTuple):
    """What a loop writes.

    Attributes:
        kept: (L,) the steps to log, rising; the last one ends the loop.
        weights: (L, ..., LANES), see each loop.
        largest, loss, norms: (L, LANES), zeros at first.
        probabilities: (n, T, LANES), at the last step.
    """

    kept: np.ndarray
    weights: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    norms: np.ndarray
    probabilities: np.ndarray


class Gram(NamedTuple):
    """The Gram matrix of the matrices x_it z_iᵀ, or its factors: fewer operations where there are many tokens.

    Attributes:
        matrix: (nT, nT, LANES); of the factors no row.
        tokens: (n, T, d, LANES).
        likeness: (n, n, LANES), the Gram matrix of the queries.
        mixed: (n, d, LANES) scratch; row: (d, LANES) scratch.
    """

    matrix: np.ndarray
    tokens: np.ndarray
    likeness: np.ndarray
    mixed: np.ndarray
    row: np.ndarray


class Factors(NamedTuple):
    """(K, Q), or W, which the loop moves in place, and what they act on.

    Attributes:
        K: (d, m, LANES); Q: (e, m, LANES). Or W (d, e, LANES) in the place of K, and of Q no row.
        tokens: (n, T, d, LANES); queries: (n, e, LANES).
    """

    K: np.ndarray
    Q: np.ndarray
    tokens: np.ndarray
    queries: np.ndarray


class Pass(NamedTuple):
    """What `evaluate` writes, with scratch.

    Attributes:
        probabilities, direction: (n, T, LANES); log_factor: (LANES,); see `on_device.Pass`.
        by_input: (n, LANES), for each input minus its smallest gap. With `apart`, the direction of an input must still
            be multiplied by the exponential of this number.
        outputs: (n, LANES), f_i; winner: (n, LANES), the number of the winning token.
        rows: (4, LANES) scratch; mixed, slope: (p, LANES) scratch; token_slope: (T, LANES) scratch.
    """

    probabilities: np.ndarray
    direction: np.ndarray
    log_factor: np.ndarray
    by_input: np.ndarray
    outputs: np.ndarray
    winner: np.ndarray
    rows: np.ndarray
    mixed: np.ndarray
    slope: np.ndarray
    token_slope: np.ndarray


scale = njit(**INNER)(GradientDescent.scale)


@njit(**OPTIONS, **APART)
def respond(gram, coefficients, out):
    """How the logits (nT, LANES) change with the coefficients (n, T, LANES) of the matrices x_it z_iᵀ."""
    tokens, mixed = gram.tokens, gram.mixed
    n, T = coefficients.shape[:2]
    if len(gram.matrix):
        matvec(gram.matrix, coefficients.reshape(n * T, LANES), out)
        return
    for i in range(n):
        combine(tokens[i], coefficients[i], mixed[i])
    for i in range(n):
        combine(mixed, gram.likeness[i], gram.row)
        matvec(tokens[i], gram.row, out[i * T : (i + 1) * T])


def prepared(values: np.ndarray, probabilities: np.ndarray) -> Pass:
    """Room for the passes of a group with these `values`; they write `probabilities`."""
    n, T, p = values.shape[:3]
    return Pass(
        probabilities,
        np.empty((n, T, LANES)),
        np.empty(LANES),
        np.empty((n, LANES)),
        np.empty((n, LANES)),
        np.zeros((n, LANES)),
        np.empty((4, LANES)),
        np.empty((p, LANES)),
        np.empty((p, LANES)),
        np.empty((T, LANES)),
    )


def evaluate(logits, group, at, apart):
    """`on_device.evaluate` at logits (n, T, LANES), into the Pass `at`; with `apart` each input has its own factor."""
    barrier, values, labels = group.barrier, group.values, group.labels
    probabilities, direction, log_factor, winner = at.probabilities, at.direction, at.log_factor, at.winner
    by_input = at.by_input
    outputs, mixed, slope, token_slope = at.outputs, at.mixed, at.slope, at.token_slope
    best, total, mean, weight = at.rows[0], at.rows[1], at.rows[2], at.rows[3]
    n, T = values.shape[:2]
    for lane in range(LANES):
        log_factor[lane] = -1e300
    for i in range(n):
        for lane in range(LANES):
            total[lane] = 0.0
            by_input[i, lane] = -1e300
        for t in range(T):
            for lane in range(LANES):
                direction[i, t, lane] = logits[i, t, lane] + barrier[i, t, lane]
        behind(direction[i], winner[i], best)
        for t in range(T):
            for lane in range(LANES):
                probabilities[i, t, lane] = exp(direction[i, t, lane])
                total[lane] += probabilities[i, t, lane]
                direction[i, t, lane] = direction[i, t, lane] if winner[i, lane] != t else -np.inf
                by_input[i, lane] = max(by_input[i, lane], direction[i, t, lane])
        for lane in range(LANES):
            log_factor[lane] = max(log_factor[lane], by_input[i, lane])
        for t in range(T):
            for lane in range(LANES):
                probabilities[i, t, lane] /= total[lane]
    for i in range(n):
        combine(values[i], probabilities[i], mixed)
        call(group.head.readout, group.head.parameters, group.head.number, mixed, outputs[i], slope)
        for lane in range(LANES):
            weight[lane] = 0.0
        matvec(values[i], slope, token_slope)
        for t in range(T):
            for lane in range(LANES):
                weight[lane] += probabilities[i, t, lane] if winner[i, lane] == t else 0.0
        for lane in range(LANES):  # ∂loss/∂f_i times the winner's probability
            weight[lane] *= -labels[i, lane] / (n * (1.0 + exp(labels[i, lane] * outputs[i, lane])))
        anchor(token_slope, probabilities[i], winner[i], best, mean)
        unit = by_input[i] if apart else log_factor
        for t in range(T):
            for lane in range(LANES):
                share = exp(direction[i, t, lane] - unit[lane])
                direction[i, t, lane] = share * weight[lane] * (token_slope[t, lane] - mean[lane])
        close(direction[i], winner[i], total)


@cache
def evaluate_compiled() -> CFunc:
    """`evaluate`, as each loop is handed it: compiled once for all of them."""
    rows, values, inputs = (np.empty((1,) * count) for count in (3, 4, 2))
    group = types.BaseTuple.from_types((typeof(rows), typeof(values), typeof(inputs), READER), Group)
    at = typeof(prepared(values, rows))
    return called_from_loops(evaluate, types.void(typeof(rows), group, at, types.boolean))


@shared_by_loops
def log_pass(largest, loss, labels, at):
    """Add the mean largest probability and the loss to what is logged, (LANES,) each."""
    n, T = at.probabilities.shape[:2]
    for lane in range(LANES):
        for i in range(n):
            top = 0.0
            for t in range(T):
                top = max(top, at.probabilities[i, t, lane])
            margin = labels[i, lane] * at.outputs[i, lane]
            largest[lane] += top / n
            loss[lane] += (max(-margin, 0.0) + np.log1p(np.exp(-abs(margin)))) / n


def full(
    evaluate: CFunc, group: Group, at: Pass, start: np.ndarray, gram: Gram, rule: GradientDescent, record: Record
) -> None:
    """Descent on W through the Gram matrix of the x_it z_iᵀ, see `on_device.FullWeights`.

    start: (n, T, LANES), the logits at first. record.weights: (L, nT, LANES), the coefficients of W(0) − W(k).
    """
    n, T = start.shape[:2]
    m = n * T
    logits, moved, response = start.copy(), np.zeros((m, LANES)), np.empty((m, LANES))
    direction, log_factor = at.direction, at.log_factor
    flat, coefficients = logits.reshape(m, LANES), direction.reshape(m, LANES)
    size, step_size, factor = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        call(evaluate, logits, group, at, False)
        respond(gram, direction, response)
        dot(response, coefficients, size)
        for lane in range(LANES):
            factor[lane] = 1.0 if rule.rescaled else exp(log_factor[lane])
            size[lane] = np.sqrt(max(size[lane], 0.0))
            step_size[lane] = scale(rule, size[lane], factor[lane])
        if step == record.kept[slot]:
            copy(moved, record.weights[slot])
            for lane in range(LANES):
                record.norms[slot, lane] = size[lane] * exp(log_factor[lane])
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        for a in range(m):
            for lane in range(LANES):
                flat[a, lane] -= step_size[lane] * response[a, lane]
                moved[a, lane] += step_size[lane] * coefficients[a, lane]


def factored(evaluate: CFunc, group: Group, at: Pass, factors: Factors, rule: GradientDescent, record: Record) -> None:
    """Descent on (K, Q), see `on_device.FactoredWeights`. record.weights: (L, d + e, m, LANES), K above Q."""
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    m = K.shape[1]
    logits, row, factor, scratch = np.empty((n, T, LANES)), np.empty((d, LANES)), np.empty(LANES), np.empty(LANES)
    projected, keys, mixed = np.empty((n, m, LANES)), np.empty((n, m, LANES)), np.empty((n, d, LANES))
    grad_K, grad_Q = np.empty(K.shape), np.empty(Q.shape)
    direction, log_factor = at.direction, at.log_factor
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            combine(Q, Z[i], projected[i])
            matvec(K, projected[i], row)
            matvec(X[i], row, logits[i])
        call(evaluate, logits, group, at, False)
        for lane in range(LANES):
            factor[lane] = 1.0 if rule.rescaled else exp(log_factor[lane])
        for i in range(n):
            for t in range(T):
                for lane in range(LANES):
                    direction[i, t, lane] *= factor[lane]
            combine(X[i], direction[i], mixed[i])
            combine(K, mixed[i], keys[i])
        gradient(mixed, projected, K, rule.penalty, grad_K)
        gradient(Z, keys, Q, rule.penalty, grad_Q)
        if step == record.kept[slot]:
            for lane in range(LANES):
                undo = exp(log_factor[lane]) if rule.rescaled else 1.0
                record.norms[slot, lane] = undo * np.sqrt(square(grad_K, lane) + square(grad_Q, lane))
            copy(K, record.weights[slot, :d])
            copy(Q, record.weights[slot, d:])
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        move(K, grad_K, rule, scratch)
        move(Q, grad_Q, rule, scratch)


@njit(**OPTIONS, **APART)
def gradient(left, right, weights, penalty, out):
    """out (d, m, LANES) = Σ_i left_i right_iᵀ + 2·penalty·weights, two terms at a time."""
    count = len(left)
    whole = count - count % 2
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            for lane in range(LANES):
                out[a, b, lane] = 2 * penalty * weights[a, b, lane]
            for i in range(0, whole, 2):
                for lane in range(LANES):
                    out[a, b, lane] += (
                        left[i, a, lane] * right[i, b, lane] + left[i + 1, a, lane] * right[i + 1, b, lane]
                    )
            for i in range(whole, count):
                for lane in range(LANES):
                    out[a, b, lane] += left[i, a, lane] * right[i, b, lane]


@njit(**OPTIONS)
def square(A, lane):
    """‖A‖² of one instance."""
    total = 0.0
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            total += A[a, b, lane] ** 2
    return total


@njit(**OPTIONS, **APART)
def move(weights, gradient, rule, size):
    """One step of a factor; `size` (LANES) is scratch."""
    sum_of_squares(gradient, size)
    for lane in range(LANES):
        size[lane] = scale(rule, np.sqrt(size[lane]), 1.0)
    for a in range(weights.shape[0]):
        for b in range(weights.shape[1]):
            for lane in range(LANES):
                weights[a, b, lane] -= size[lane] * gradient[a, b, lane]
