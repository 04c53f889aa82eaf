"""The descent loops as compiled code: LANES instances at a time, all their steps while their data lie in the cache.

The arithmetic is that of on_device.py. A kernel is handed NamedTuples. Each is compiled once, for all heads:
a head brings the address of its readout.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core.ccallback import CFunc

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import (
    APART,
    INNER,
    OPTIONS,
    call,
    called_from_loops,
    combine,
    copy,
    dot,
    exp,
    matvec,
    shared_by_loops,
    subtract,
)
from attnsvm.batch.softmax import anchor, behind, close
from attnsvm.batch.vector import each, larger, load, root, rounded, store, where, zeros
from attnsvm.training.heads.base import READER, Reader
from attnsvm.training.optimisers.gradient_descent import GradientDescent


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
        mixed, slope: (p, LANES) scratch; token_slope: (T, LANES) scratch.
    """

    probabilities: np.ndarray
    direction: np.ndarray
    log_factor: np.ndarray
    by_input: np.ndarray
    outputs: np.ndarray
    winner: np.ndarray
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
        zeros((n, T, LANES)),
        zeros((LANES,)),
        zeros((n, LANES)),
        zeros((n, LANES)),
        zeros((n, LANES)),
        zeros((p, LANES)),
        zeros((p, LANES)),
        zeros((T, LANES)),
    )


def evaluate(logits, group, at, apart):
    """`on_device.evaluate` at logits (n, T, LANES), into the Pass `at`; with `apart` each input has its own factor."""
    barrier, values, labels = group.barrier, group.values, group.labels
    probabilities, direction, log_factor, winner = at.probabilities, at.direction, at.log_factor, at.winner
    by_input = at.by_input
    outputs, mixed, slope, token_slope = at.outputs, at.mixed, at.slope, at.token_slope
    n, T = values.shape[:2]
    largest = each(-1e300)
    for i in range(n):
        for t in range(T):
            store(direction[i, t], load(logits[i, t]) + load(barrier[i, t]))
        behind(direction[i], winner[i])
        first, total, gap = load(winner[i]), each(0.0), each(-1e300)
        for t in range(T):
            logit = load(direction[i, t])
            share = exp(logit)
            store(probabilities[i, t], share)
            total = total + share
            logit = where(first == t, -np.inf, logit)
            store(direction[i, t], logit)
            gap = larger(gap, logit)
        store(by_input[i], gap)
        largest = larger(largest, gap)
        for t in range(T):
            store(probabilities[i, t], load(probabilities[i, t]) / total)
    store(log_factor, largest)
    for i in range(n):
        combine(values[i], probabilities[i], mixed)
        call(group.head.readout, group.head.parameters, group.head.number, mixed, outputs[i], slope)
        matvec(values[i], slope, token_slope)
        first, label, weight = load(winner[i]), load(labels[i]), each(0.0)
        for t in range(T):
            weight = weight + where(first == t, load(probabilities[i, t]), 0.0)
        # ∂loss/∂f_i times the winner's probability
        weight = weight * (-label / (n * (1.0 + exp(label * load(outputs[i])))))
        mean = anchor(token_slope, probabilities[i], winner[i])
        unit = load(by_input[i]) if apart else largest
        for t in range(T):
            share = exp(load(direction[i, t]) - unit)
            store(direction[i, t], share * weight * (load(token_slope[t]) - mean))
        close(direction[i], winner[i])


@cache
def evaluate_compiled() -> CFunc:
    """`evaluate`, as each loop is handed it: compiled once for all of them."""
    rows, values, inputs = (zeros((1,) * count) for count in (3, 4, 2))
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
    logits, moved, response = start.copy(), zeros((m, LANES)), zeros((m, LANES))
    direction, log_factor = at.direction, at.log_factor
    flat, coefficients = logits.reshape(m, LANES), direction.reshape(m, LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        call(evaluate, logits, group, at, False)
        respond(gram, direction, response)
        factor = each(1.0) if rule.rescaled else exp(load(log_factor))
        size = root(larger(dot(response, coefficients), 0.0))
        by = scale(rule, size, factor)
        if step == record.kept[slot]:
            copy(moved, record.weights[slot])
            store(record.norms[slot], size * exp(load(log_factor)))
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        for a in range(m):
            store(flat[a], load(flat[a]) - by * load(response[a]))
            store(moved[a], load(moved[a]) + by * load(coefficients[a]))


def factored(evaluate: CFunc, group: Group, at: Pass, factors: Factors, rule: GradientDescent, record: Record) -> None:
    """Descent on (K, Q), see `on_device.FactoredWeights`. record.weights: (L, d + e, m, LANES), K above Q."""
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    m = K.shape[1]
    logits, row = zeros((n, T, LANES)), zeros((d, LANES))
    projected, keys, mixed = zeros((n, m, LANES)), zeros((n, m, LANES)), zeros((n, d, LANES))
    grad_K, grad_Q = zeros(K.shape), zeros(Q.shape)
    direction, log_factor = at.direction, at.log_factor
    slot = 0
    for step in range(record.kept[-1] + 1):
        for i in range(n):
            combine(Q, Z[i], projected[i])
            matvec(K, projected[i], row)
            matvec(X[i], row, logits[i])
        call(evaluate, logits, group, at, False)
        factor = each(1.0) if rule.rescaled else exp(load(log_factor))
        for i in range(n):
            for t in range(T):
                store(direction[i, t], load(direction[i, t]) * factor)
            combine(X[i], direction[i], mixed[i])
            combine(K, mixed[i], keys[i])
        of_K = gradient(mixed, projected, K, rule.penalty, grad_K)
        of_Q = gradient(Z, keys, Q, rule.penalty, grad_Q)
        if step == record.kept[slot]:
            undo = exp(load(log_factor)) if rule.rescaled else each(1.0)
            store(record.norms[slot], undo * root(of_K + of_Q))
            copy(K, record.weights[slot, :d])
            copy(Q, record.weights[slot, d:])
            log_pass(record.largest[slot], record.loss[slot], group.labels, at)
            slot += 1
        subtract(K, scale(rule, root(of_K), each(1.0)), grad_K)
        subtract(Q, scale(rule, root(of_Q), each(1.0)), grad_Q)


@njit(**INNER, **APART)
def gradient(left, right, weights, penalty, out):
    """out (d, m, LANES) = Σ_i left_i right_iᵀ + 2·penalty·weights, two terms at a time; and the vector Σ out²."""
    count, squares = len(left), each(0.0)
    whole = count - count % 2
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            total = rounded(2 * penalty * load(weights[a, b]))
            for i in range(0, whole, 2):
                total = total + (load(left[i, a]) * load(right[i, b]) + load(left[i + 1, a]) * load(right[i + 1, b]))
            for i in range(whole, count):
                total = total + load(left[i, a]) * load(right[i, b])
            store(out[a, b], total)
            squares = squares + total * total
    return squares
