"""The descent loop as compiled code: one instance group at a time, all its steps while its data lie in the cache.

Arrays end in an axis of LANES instances, over which every inner loop runs and the compiler vectorises. The arithmetic
is that of attention.py and parametrisations.py. A head is chosen by number, in `readout`: code that closes over
another function cannot be kept on disk between runs, and compiling takes seconds.
"""

import numpy as np
from numba import njit

LANES = 32
compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts, the first with trailing zeros
LOWEST = -708.0  # exp of less is subnormal


@njit(inline="always")
def exp(x):
    """exp of x ≤ 709, zero below −708, within 2 units of the last place; unlike the library function, vectorised.

    x = k ln 2 + r with |r| ≤ ½ ln 2; Taylor's series to degree 13 for r, k into the exponent.
    """
    y = max(x, LOWEST)
    k = np.floor(y * LOG2_E + 0.5)
    r = y - k * LN2_HIGH - k * LN2_LOW
    p = 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.7557319223985893e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    p *= np.int64((np.int64(k) + 1023) << 52).view(np.float64)
    return p if x >= LOWEST else 0.0


@njit(error_model="numpy", fastmath={"contract"})
def _dot(A, x, out):
    """out (LANES) = Σ_b A (b, LANES) · x (b, LANES); four terms at a time, to spare the loads and stores of the sum."""
    count = A.shape[0]
    whole = count - count % 4
    for lane in range(LANES):
        out[lane] = 0.0
    for b in range(0, whole, 4):
        for lane in range(LANES):
            out[lane] += (A[b, lane] * x[b, lane] + A[b + 1, lane] * x[b + 1, lane]) + (
                A[b + 2, lane] * x[b + 2, lane] + A[b + 3, lane] * x[b + 3, lane]
            )
    for b in range(whole, count):
        for lane in range(LANES):
            out[lane] += A[b, lane] * x[b, lane]


@njit(error_model="numpy", fastmath={"contract"})
def _combine(A, x, out):
    """out (b, LANES) = Σ_a A (a, b, LANES) · x (a, LANES), four terms at a time."""
    count = A.shape[0]
    whole = count - count % 4
    for b in range(A.shape[1]):
        for lane in range(LANES):
            out[b, lane] = 0.0
    for a in range(0, whole, 4):
        for b in range(A.shape[1]):
            for lane in range(LANES):
                out[b, lane] += (A[a, b, lane] * x[a, lane] + A[a + 1, b, lane] * x[a + 1, lane]) + (
                    A[a + 2, b, lane] * x[a + 2, lane] + A[a + 3, b, lane] * x[a + 3, lane]
                )
    for a in range(whole, count):
        for b in range(A.shape[1]):
            for lane in range(LANES):
                out[b, lane] += A[a, b, lane] * x[a, lane]


# A readout writes h (LANES) and its slope (p, LANES) at the mixture (p, LANES); `v` (d, LANES) and `penalty` are the
# head's.
@njit(error_model="numpy", fastmath={"contract"})
def linear(mixed, v, penalty, h, slope):
    for lane in range(LANES):
        h[lane] = mixed[0, lane]
        slope[0, lane] = 1.0


@njit(error_model="numpy", fastmath={"contract"})
def relu(mixed, v, penalty, h, slope):
    for lane in range(LANES):
        h[lane] = 0.0
    for j in range(len(mixed)):
        for lane in range(LANES):
            h[lane] += max(mixed[j, lane], 0.0)
            slope[j, lane] = 1.0 if mixed[j, lane] > 0 else 0.0


@njit(error_model="numpy", fastmath={"contract"})
def penalised(mixed, v, penalty, h, slope):
    for lane in range(LANES):
        h[lane] = 0.0
    for j in range(len(mixed)):
        for lane in range(LANES):
            h[lane] += mixed[j, lane] * (v[j, lane] - penalty * mixed[j, lane])
            slope[j, lane] = v[j, lane] - 2 * penalty * mixed[j, lane]


HEADS = {"linear": 0, "relu": 1, "penalised": 2}


@njit(error_model="numpy", fastmath={"contract"})
def readout(head, mixed, v, penalty, h, slope):
    if head == 0:
        linear(mixed, v, penalty, h, slope)
    elif head == 1:
        relu(mixed, v, penalty, h, slope)
    else:
        penalised(mixed, v, penalty, h, slope)


@compiled
def evaluate(
    logits, barrier, values, labels, head, v, penalty, probabilities, direction, log_factor, outputs, winner, scratch
):
    """`attention.evaluate` for one group.

    `barrier` (n, T) is 0, or −∞ for a token shut out; `outputs` (n, LANES) receives f_i, `winner` (n, LANES) the
    number of the winning token; `scratch` has 5 + 2p + T rows of LANES.
    """
    n, T, p = values.shape[:3]
    best, total, mean, weight, anchor = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    mixed, slope, token_slope = scratch[5 : 5 + p], scratch[5 + p : 5 + 2 * p], scratch[5 + 2 * p :]
    for lane in range(LANES):
        log_factor[lane] = -1e300
    for i in range(n):
        for lane in range(LANES):
            best[lane] = -np.inf
            total[lane] = 0.0
        for t in range(T):
            for lane in range(LANES):
                x = logits[i, t, lane] + barrier[i, t]
                winner[i, lane] = t if x > best[lane] else winner[i, lane]
                best[lane] = max(best[lane], x)
        for t in range(T):
            for lane in range(LANES):
                behind = logits[i, t, lane] + barrier[i, t] - best[lane]
                probabilities[i, t, lane] = exp(behind)
                total[lane] += probabilities[i, t, lane]
                direction[i, t, lane] = behind if winner[i, lane] != t else -np.inf
                log_factor[lane] = max(log_factor[lane], direction[i, t, lane])
        for t in range(T):
            for lane in range(LANES):
                probabilities[i, t, lane] /= total[lane]
    for i in range(n):
        _combine(values[i], probabilities[i], mixed)
        readout(head, mixed, v, penalty, outputs[i], slope)
        for lane in range(LANES):
            weight[lane] = 0.0
            anchor[lane] = 0.0
            mean[lane] = 0.0
            total[lane] = 0.0
        for t in range(T):
            _dot(values[i, t], slope, token_slope[t])
            for lane in range(LANES):
                wins = winner[i, lane] == t
                weight[lane] += probabilities[i, t, lane] if wins else 0.0
                anchor[lane] += token_slope[t, lane] if wins else 0.0
        for lane in range(LANES):  # ∂loss/∂f_i times the winner's probability
            weight[lane] *= -labels[i, lane] / (n * (1.0 + exp(labels[i, lane] * outputs[i, lane])))
        for t in range(T):
            for lane in range(LANES):
                token_slope[t, lane] -= anchor[lane]
                mean[lane] += probabilities[i, t, lane] * token_slope[t, lane]
        for t in range(T):
            for lane in range(LANES):
                share = exp(direction[i, t, lane] - log_factor[lane])
                direction[i, t, lane] = share * weight[lane] * (token_slope[t, lane] - mean[lane])
                total[lane] += direction[i, t, lane]
        for t in range(T):
            for lane in range(LANES):
                if winner[i, lane] == t:
                    direction[i, t, lane] = -total[lane]


@njit(error_model="numpy", fastmath={"contract"})
def _record(slot, group, probabilities, labels, outputs, largest, loss):
    """Log the mean largest probability and the loss of a group."""
    n, T = probabilities.shape[:2]
    for lane in range(LANES):
        for i in range(n):
            top = 0.0
            for t in range(T):
                top = max(top, probabilities[i, t, lane])
            margin = labels[i, lane] * outputs[i, lane]
            largest[group, slot, lane] += top / n
            loss[group, slot, lane] += (max(-margin, 0.0) + np.log1p(np.exp(-abs(margin)))) / n


@compiled
def full(
    structured, gram, tokens, likeness, start, barrier, values, labels, head, v, penalty, kept,
    rate, epsilon, normalised, rescaled,
    moved, largest, loss, norms, probabilities,
):  # fmt: skip
    """Descent on W through the Gram matrix of the x_it z_iᵀ, see `parametrisations.FullWeights`.

    gram (G, nT, nT, LANES) is used as it is, or, if `structured`, as the product of its two factors: tokens
    (G, n, T, d, LANES), and likeness (G, n, n, LANES), the Gram matrix of the queries. What is not used may be empty.
    start (G, n, T, LANES) logits; values (G, n, T, p, LANES); labels (G, n, LANES); v (G, d, LANES); kept: the steps
    to log. Writes moved (G, L, nT, LANES), the coefficients of W(0) − W(k), and the log.
    """
    groups, n, T, p = values.shape[:4]
    m = n * T
    for g in range(groups):
        logits, sum_ = start[g].copy(), np.zeros((m, LANES))
        direction, change = np.empty((n, T, LANES)), np.empty((m, LANES))
        log_factor, outputs, winner = np.empty(LANES), np.empty((n, LANES)), np.zeros((n, LANES))
        scratch, size, scale, factor = (
            np.empty((5 + 2 * p + T, LANES)),
            np.empty(LANES),
            np.empty(LANES),
            np.empty(LANES),
        )
        flat, coefficients = logits.reshape(m, LANES), direction.reshape(m, LANES)
        mixed, row = np.empty((n, tokens.shape[3], LANES)), np.empty((tokens.shape[3], LANES))
        slot = 0
        for step in range(kept[-1] + 1):
            evaluate(
                logits, barrier, values[g], labels[g], head, v[g], penalty,
                probabilities[g], direction, log_factor, outputs, winner, scratch,
            )  # fmt: skip
            if structured:
                for i in range(n):
                    _combine(tokens[g, i], direction[i], mixed[i])
                for i in range(n):
                    _combine(mixed, likeness[g, i], row)
                    for t in range(T):
                        _dot(tokens[g, i, t], row, change[i * T + t])
            else:
                for a in range(m):
                    _dot(gram[g, a], coefficients, change[a])
            _dot(change, coefficients, size)
            for lane in range(LANES):
                factor[lane] = 1.0 if rescaled else exp(log_factor[lane])
                size[lane] = np.sqrt(max(size[lane], 0.0))
                scale[lane] = rate * factor[lane]
                if normalised:
                    scale[lane] /= size[lane] * factor[lane] + epsilon
            if step == kept[slot]:
                moved[g, slot] = sum_
                for lane in range(LANES):
                    norms[g, slot, lane] = size[lane] * exp(log_factor[lane])
                _record(slot, g, probabilities[g], labels[g], outputs, largest, loss)
                slot += 1
            for a in range(m):
                for lane in range(LANES):
                    flat[a, lane] -= scale[lane] * change[a, lane]
                    sum_[a, lane] += scale[lane] * coefficients[a, lane]


@compiled
def factored(
    tokens, queries, K, Q, decay, barrier, values, labels, head, v, penalty, kept, rate, epsilon, normalised, rescaled,
    factors, largest, loss, norms, probabilities,
):  # fmt: skip
    """Descent on (K, Q), see `parametrisations.FactoredWeights`.

    tokens (G, n, T, d, LANES); queries (G, n, e, LANES); K (G, d, m, LANES) and Q (G, e, m, LANES), changed in place;
    decay: the penalty on ‖K‖² + ‖Q‖². Writes factors (G, L, d + e, m, LANES), K above Q, and the logs.
    """
    groups, n, T, d = tokens.shape[:4]
    e, m, p = Q.shape[1], K.shape[2], values.shape[3]
    for g in range(groups):
        X, Z, k, q = tokens[g], queries[g], K[g], Q[g]
        logits, direction = np.empty((n, T, LANES)), np.empty((n, T, LANES))
        log_factor, outputs, winner = np.empty(LANES), np.empty((n, LANES)), np.zeros((n, LANES))
        scratch, factor, row = np.empty((5 + 2 * p + T, LANES)), np.empty(LANES), np.empty((d, LANES))
        projected, keys, mixed = np.empty((n, m, LANES)), np.empty((n, m, LANES)), np.empty((n, d, LANES))
        grad_k, grad_q = np.empty((d, m, LANES)), np.empty((e, m, LANES))
        slot = 0
        for step in range(kept[-1] + 1):
            for i in range(n):
                _combine(q, Z[i], projected[i])
                for a in range(d):
                    _dot(k[a], projected[i], row[a])
                for t in range(T):
                    _dot(X[i, t], row, logits[i, t])
            evaluate(
                logits, barrier, values[g], labels[g], head, v[g], penalty,
                probabilities[g], direction, log_factor, outputs, winner, scratch,
            )  # fmt: skip
            for lane in range(LANES):
                factor[lane] = 1.0 if rescaled else exp(log_factor[lane])
            for i in range(n):
                for t in range(T):
                    for lane in range(LANES):
                        direction[i, t, lane] *= factor[lane]
                _combine(X[i], direction[i], mixed[i])
                _combine(k, mixed[i], keys[i])
            _gradient(mixed, projected, k, decay, grad_k)
            _gradient(Z, keys, q, decay, grad_q)
            if step == kept[slot]:
                for lane in range(LANES):
                    undo = exp(log_factor[lane]) if rescaled else 1.0
                    norms[g, slot, lane] = undo * np.sqrt(_square(grad_k, lane) + _square(grad_q, lane))
                factors[g, slot, :d] = k
                factors[g, slot, d:] = q
                _record(slot, g, probabilities[g], labels[g], outputs, largest, loss)
                slot += 1
            _move(k, grad_k, rate, epsilon, normalised, factor)
            _move(q, grad_q, rate, epsilon, normalised, factor)


@njit(error_model="numpy", fastmath={"contract"})
def _gradient(left, right, weights, decay, out):
    """out (d, m, LANES) = Σ_i left_i right_iᵀ + 2·decay·weights, two terms at a time."""
    count = len(left)
    whole = count - count % 2
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            for lane in range(LANES):
                out[a, b, lane] = 2 * decay * weights[a, b, lane]
            for i in range(0, whole, 2):
                for lane in range(LANES):
                    out[a, b, lane] += (
                        left[i, a, lane] * right[i, b, lane] + left[i + 1, a, lane] * right[i + 1, b, lane]
                    )
            for i in range(whole, count):
                for lane in range(LANES):
                    out[a, b, lane] += left[i, a, lane] * right[i, b, lane]


@njit(error_model="numpy", fastmath={"contract"})
def _square(A, lane):
    total = 0.0
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            total += A[a, b, lane] ** 2
    return total


@njit(error_model="numpy", fastmath={"contract"})
def _move(weights, gradient, rate, epsilon, normalised, scale):
    """One step of a factor; `scale` (LANES) is scratch."""
    for lane in range(LANES):
        scale[lane] = 0.0
    for a in range(weights.shape[0]):
        for b in range(weights.shape[1]):
            for lane in range(LANES):
                scale[lane] += gradient[a, b, lane] * gradient[a, b, lane]
    for lane in range(LANES):
        scale[lane] = rate / (np.sqrt(scale[lane]) + epsilon) if normalised else rate
    for a in range(weights.shape[0]):
        for b in range(weights.shape[1]):
            for lane in range(LANES):
                weights[a, b, lane] -= scale[lane] * gradient[a, b, lane]
