"""The descent loops as compiled code: LANES instances at a time, all their steps while their data lie in the cache.

The arithmetic is that of loss.py and weights.py. A kernel is handed NamedTuples. Three of them bring code that the
kernel calls: a head brings `readout`, a step rule `scale`, `Gram` and `Outer` `respond`. Numba finds that code by the
class when it compiles, so nothing is chosen inside the loop.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.training.heads.calls import readout
from attnsvm.training.lanes.arithmetic import (
    APART,
    LANES,
    OPTIONS,
    combine,
    copy,
    dot,
    exp,
    matvec,
    method_of_class,
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
        head: the structure of a head, see `heads.base.Head.compiled`.
    """

    barrier: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    head: NamedTuple


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
    """The Gram matrix (nT, nT, LANES) of the matrices x_it z_iᵀ."""

    matrix: np.ndarray

    def respond(self, coefficients, out):
        flat = coefficients.reshape(len(self.matrix), LANES)
        matvec(self.matrix, flat, out)


class Outer(NamedTuple):
    """The same matrix as the product of its factors: fewer operations where there are many tokens.

    Attributes:
        tokens: (n, T, d, LANES).
        likeness: (n, n, LANES), the Gram matrix of the queries.
        mixed: (n, d, LANES) scratch; row: (d, LANES) scratch.
    """

    tokens: np.ndarray
    likeness: np.ndarray
    mixed: np.ndarray
    row: np.ndarray

    def respond(self, coefficients, out):
        tokens, likeness, mixed, row = self.tokens, self.likeness, self.mixed, self.row
        n, T = coefficients.shape[:2]
        for i in range(n):
            combine(tokens[i], coefficients[i], mixed[i])
        for i in range(n):
            combine(mixed, likeness[i], row)
            matvec(tokens[i], row, out[i * T : (i + 1) * T])


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
        probabilities, direction: (n, T, LANES); log_factor: (LANES,); see `loss.Pass`.
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


scale = method_of_class("scale")  # of a rule, see `gradient_descent.GradientDescent.scale`
# Of `Gram` or `Outer`, given coefficients (n, T, LANES) of the matrices x_it z_iᵀ, and out (nT, LANES): how the logits
# change with them.
respond = method_of_class("respond")


@njit(**OPTIONS)
def prepared(group, probabilities):
    """Room for the passes of a group; they write `probabilities`."""
    n, T, p = group.values.shape[:3]
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


@njit(**OPTIONS, **APART)
def evaluate(logits, group, at, apart):
    """`loss.evaluate` at logits (n, T, LANES), into the Pass `at`; with `apart` each input keeps a separate factor."""
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
        readout(group.head, mixed, outputs[i], slope)
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


def full(group: Group, start: np.ndarray, outer_products: Gram | Outer, rule: GradientDescent, record: Record) -> None:
    """Descent on W through the Gram matrix of the x_it z_iᵀ, see `weights.FullWeights`.

    start: (n, T, LANES), the logits at first. record.weights: (L, nT, LANES), the coefficients of W(0) − W(k).
    """
    n, T = start.shape[:2]
    m = n * T
    at = prepared(group, record.probabilities)
    logits, moved, response = start.copy(), np.zeros((m, LANES)), np.empty((m, LANES))
    direction, log_factor = at.direction, at.log_factor
    flat, coefficients = logits.reshape(m, LANES), direction.reshape(m, LANES)
    size, step_size, factor = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slot = 0
    for step in range(record.kept[-1] + 1):
        evaluate(logits, group, at, False)
        respond(outer_products, direction, response)
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


def factored(group: Group, factors: Factors, rule: GradientDescent, record: Record) -> None:
    """Descent on (K, Q), see `weights.FactoredWeights`. record.weights: (L, d + e, m, LANES), K above Q."""
    K, Q, X, Z = factors.K, factors.Q, factors.tokens, factors.queries
    n, T, d = X.shape[:3]
    m = K.shape[1]
    at = prepared(group, record.probabilities)
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
        evaluate(logits, group, at, False)
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
