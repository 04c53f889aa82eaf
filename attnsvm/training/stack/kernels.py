"""The descent loop of a stack as compiled code: LANES instances at a time, with a gradient that does not underflow.

Every vanishing factor is a logarithm. Each row of softmax (layer, head, input, query) has the gradient with respect to
its output as exp(scale)·vector, and passes it on in three ways:
  to the token t as a value:    exp(scale + log p_t)·(V g + c_t W z), with c_t = (x_t − x_winner)·V g − the mean of it;
  the second term is what t gets as a key: the logit's gradient p_t c_t times W z. Both have the one factor p_t;
  to its query: exp(scale + max log p)·Wᵀ Σ_t (p_t / max p) c_t (x_t − x_winner), over the tokens that do not win;
  to the position of the row, where there is a residual: unchanged.
What arrives at a token from several rows is summed relative to its largest factor, and the gradient of a weight
relative to the largest factor of its rows. Nothing is a difference of nearly equal numbers: all is anchored at the
winning token, by lanes/softmax.py, as in kernels.evaluate.

A token may score exactly as the winner does: rows that chose the same token have the same composed token, once the
layer below has saturated. This token passes nothing on as a key: its part is of second order, and would hide the rest.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.training.heads.base import Reader
from attnsvm.training.kernels import gradient, scale
from attnsvm.training.lanes.arithmetic import INNER, LANES, call, combine, copy, exp, matvec, shared_by_loops
from attnsvm.training.lanes.slopes import sum_of_squares
from attnsvm.training.lanes.softmax import anchor, behind, close
from attnsvm.training.rules.calls import Mover
from attnsvm.training.stack.moving import Course, head_step_by, step_by
from attnsvm.training.stack.rows import mask, query

NOWHERE = -1e300  # the logarithm of a factor that is zero; two of them still add up to a finite number


class Model(NamedTuple):
    """A group of LANES stacks; arrays end in LANES.

    Attributes:
        tokens: (n, T, d). queries: (n, d), those of the top under cross-attention. labels: (n,).
        values: (L, H, d, d), or (0, ...) where all are the identity.
        below: (T, T), top: (R, T): 0, or NOWHERE where a token does not compete; no lanes.
        embedding: (d, p), the head's, or (0, 0) where it is the identity.
        factors: (L, H, 1, d, d) for W, or (L, H, 2, d, m) for K and Q; moved in place.
        residual, cross, joint: see `attnsvm.architecture.Stack`.
    """

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    values: np.ndarray
    below: np.ndarray
    top: np.ndarray
    embedding: np.ndarray
    factors: np.ndarray
    residual: bool
    cross: bool
    joint: bool


class Record(NamedTuple):
    """What the loop writes at the steps to be logged: see `log.StackLog`; lanes last instead of instances first."""

    kept: np.ndarray
    weights: np.ndarray
    head: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    norms: np.ndarray


class State(NamedTuple):
    """The weights and one forward and backward pass. R queries per input at the top, T below.

    Attributes:
        W: (L, H, d, d). G: its gradient over exp(log_factor), log_factor (L, H).
        tokens: (L, n, T, d), what each layer sees.
        keys: (L, H, n, T, d), W z of every row. log_p, p, slope: (L, H, n, T, T), by row and token; slope is c_t.
        winner: (L, H, n, T).
        mixed: (L, H, n, T, d), Σ_t (p_t / max p) c_t (x_t − x_winner). behind: (L, H, n, T), its logarithmic factor.
        value: (H, n, T, d), V g. back: (H, n, T), what the winner passes as a key.
        given, scale: (n, T, d) and (n, T), the gradient with respect to a layer's output; passed, passed_scale: the
            same with respect to its input.
        output: (n, T). mixture: (n, T, d). embedded, slope_embedded: (p,), what the head sees of one mixture.
        head: (q,), gradient of the head's parameters, where they are trained; head_factor: (). by_head: (q,) scratch.
        left, right: (nT, d) scratch. a, b, c: (d,) scratch. rows: (6,) scratch; token: (T,) scratch.
        factors: the gradient of the factors, like Model.factors. norms: (L, H, 2).
    """

    W: np.ndarray
    G: np.ndarray
    log_factor: np.ndarray
    tokens: np.ndarray
    keys: np.ndarray
    log_p: np.ndarray
    p: np.ndarray
    slope: np.ndarray
    winner: np.ndarray
    mixed: np.ndarray
    behind: np.ndarray
    value: np.ndarray
    back: np.ndarray
    given: np.ndarray
    scale: np.ndarray
    passed: np.ndarray
    passed_scale: np.ndarray
    output: np.ndarray
    mixture: np.ndarray
    embedded: np.ndarray
    slope_embedded: np.ndarray
    head: np.ndarray
    head_factor: np.ndarray
    by_head: np.ndarray
    left: np.ndarray
    right: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    rows: np.ndarray
    token: np.ndarray
    factors: np.ndarray
    norms: np.ndarray


def room(model: Model, q: int) -> State:
    """Room for the passes of a group; q parameters of the head are trained."""
    n, T, d = model.tokens.shape[:3]
    L, H = model.factors.shape[:2]
    p = model.embedding.shape[1]
    return State(
        np.empty((L, H, d, d, LANES)),
        np.empty((L, H, d, d, LANES)),
        np.empty((L, H, LANES)),
        np.empty((L, n, T, d, LANES)),
        np.empty((L, H, n, T, d, LANES)),
        np.empty((L, H, n, T, T, LANES)),
        np.empty((L, H, n, T, T, LANES)),
        np.empty((L, H, n, T, T, LANES)),
        np.zeros((L, H, n, T, LANES)),
        np.empty((L, H, n, T, d, LANES)),
        np.empty((L, H, n, T, LANES)),
        np.empty((H, n, T, d, LANES)),
        np.empty((H, n, T, LANES)),
        np.empty((n, T, d, LANES)),
        np.empty((n, T, LANES)),
        np.empty((n, T, d, LANES)),
        np.empty((n, T, LANES)),
        np.empty((n, T, LANES)),
        np.empty((n, T, d, LANES)),
        np.empty((p, LANES)),
        np.empty((p, LANES)),
        np.empty((q, LANES)),
        np.empty(LANES),
        np.empty((q, LANES)),
        np.empty((n * T, d, LANES)),
        np.empty((n * T, d, LANES)),
        np.empty((d, LANES)),
        np.empty((d, LANES)),
        np.empty((d, LANES)),
        np.empty((6, LANES)),
        np.empty((T, LANES)),
        np.empty(model.factors.shape),
        np.empty((L, H, 2, LANES)),
    )


@shared_by_loops
def forward(model, at):
    """Softmax of every row, composed tokens of every layer, and the mixture of the top."""
    L, H, n, T = at.slope.shape[:4]
    d = at.W.shape[2]
    best, total = at.rows[0], at.rows[1]
    for layer in range(L):
        for h in range(H):
            multiply(model.factors[layer, h], at.W[layer, h])
    copy(model.tokens, at.tokens[0])
    for layer in range(L):
        last, masked = layer == L - 1, mask(model, layer)
        for i in range(n):
            tokens = at.tokens[layer, i]
            for q in range(len(masked)):
                out = at.mixture[i, q] if last else at.tokens[layer + 1, i, q]
                for a in range(d):
                    for lane in range(LANES):
                        out[a, lane] = tokens[q, a, lane] if model.residual and not last else 0.0
                z = query(model, at, layer, i, q)
                for h in range(H):
                    key, log_p, p = at.keys[layer, h, i, q], at.log_p[layer, h, i, q], at.p[layer, h, i, q]
                    winner, W = at.winner[layer, h, i, q], at.W[layer, h]
                    matvec(W, z, key)
                    matvec(tokens, key, log_p)
                    for t in range(T):
                        for lane in range(LANES):
                            log_p[t, lane] += masked[q, t]
                    behind(log_p, winner, best)
                    for lane in range(LANES):
                        total[lane] = 0.0
                    for t in range(T):
                        for lane in range(LANES):
                            total[lane] += exp(log_p[t, lane]) if winner[lane] != t else 0.0
                    for lane in range(LANES):
                        total[lane] = np.log1p(total[lane])
                    for t in range(T):
                        for lane in range(LANES):
                            log_p[t, lane] -= total[lane]
                            p[t, lane] = exp(log_p[t, lane])
                    combine(tokens, p, at.a)
                    if len(model.values):
                        combine(model.values[layer, h], at.a, at.b)
                        for a in range(d):
                            for lane in range(LANES):
                                out[a, lane] += at.b[a, lane]
                    else:
                        for a in range(d):
                            for lane in range(LANES):
                                out[a, lane] += at.a[a, lane]


@njit(**INNER)
def seen(model, at, i, q):
    """What the head sees of a mixture: its embedding, or itself."""
    if len(model.embedding) == 0:
        return at.mixture[i, q]
    combine(model.embedding, at.mixture[i, q], at.embedded)
    return at.embedded


@shared_by_loops
def read_out(model, head, at):
    """f, the gradient of the loss with respect to the mixtures, and with respect to the head's parameters."""
    n, d = at.mixture.shape[0], at.mixture.shape[2]
    R = len(model.top)
    embeds = len(model.embedding) > 0
    count = np.log(n * R)
    for lane in range(LANES):
        at.head_factor[lane] = NOWHERE
    for i in range(n):
        for q in range(R):
            slope = at.slope_embedded if embeds else at.given[i, q]
            call(head.readout, head.parameters, head.number, seen(model, at, i, q), at.output[i, q], slope)
            if embeds:
                matvec(model.embedding, at.slope_embedded, at.given[i, q])
            for lane in range(LANES):
                margin = model.labels[i, lane] * at.output[i, q, lane]
                at.scale[i, q, lane] = -max(margin, 0.0) - np.log1p(np.exp(-abs(margin))) - count
                at.head_factor[lane] = max(at.head_factor[lane], at.scale[i, q, lane])
            for a in range(d):
                for lane in range(LANES):
                    at.given[i, q, a, lane] *= -model.labels[i, lane]
    if len(at.head):
        at.head[:] = 0.0
        for i in range(n):
            for q in range(R):
                for lane in range(LANES):
                    share = exp(at.scale[i, q, lane] - at.head_factor[lane])
                    at.rows[0, lane] = -model.labels[i, lane] * share
                call(head.parameter_slope, head.parameters, head.number, seen(model, at, i, q), at.by_head)
                for a in range(len(at.head)):
                    for lane in range(LANES):
                        at.head[a, lane] += at.rows[0, lane] * at.by_head[a, lane]


@shared_by_loops
def into_rows(model, at, layer):
    """From the gradient of a layer's outputs to that of its logits, row by row."""
    H, n, T = at.value.shape[:3]
    R = len(mask(model, layer))
    at_winner, mean, largest, total = at.rows[0], at.rows[1], at.rows[2], at.rows[3]
    for h in range(H):
        for i in range(n):
            tokens = at.tokens[layer, i]
            for q in range(R):
                value, slope, log_p = at.value[h, i, q], at.slope[layer, h, i, q], at.log_p[layer, h, i, q]
                p, winner, share = at.p[layer, h, i, q], at.winner[layer, h, i, q], at.token
                if len(model.values):
                    matvec(model.values[layer, h], at.given[i, q], value)
                else:
                    copy(at.given[i, q], value)
                matvec(tokens, value, slope)
                anchor(slope, p, winner, at_winner, mean)
                for lane in range(LANES):
                    largest[lane] = NOWHERE
                for t in range(T):
                    for lane in range(LANES):
                        counts = slope[t, lane] != 0.0 and log_p[t, lane] > 0.5 * NOWHERE
                        slope[t, lane] = slope[t, lane] - mean[lane] if counts else 0.0
                        largest[lane] = max(largest[lane], log_p[t, lane] if counts else NOWHERE)
                for t in range(T):
                    for lane in range(LANES):
                        share[t, lane] = exp(min(log_p[t, lane] - largest[lane], 0.0)) * slope[t, lane]
                close(share, winner, total)
                combine(tokens, share, at.mixed[layer, h, i, q])
                for lane in range(LANES):
                    at.back[h, i, q, lane] = exp(largest[lane]) * total[lane]
                    at.behind[layer, h, i, q, lane] = at.scale[i, q, lane] + largest[lane]


@shared_by_loops
def into_tokens(model, at, layer):
    """From the rows of a layer to the gradient of its inputs: as values, keys, queries, and past the layer.

    It is the gradient of the outputs of the layer below.
    """
    H, n, T, d = at.value.shape[:4]
    last = layer == at.W.shape[0] - 1
    R = len(mask(model, layer))
    passes, asks = model.residual and not last, not (last and model.cross)
    largest, weight, other = at.rows[0], at.rows[1], at.rows[2]
    for i in range(n):
        for t in range(T):
            into = at.passed[i, t]
            for lane in range(LANES):
                largest[lane] = at.scale[i, t, lane] if passes else NOWHERE
            for h in range(H):
                for q in range(R):
                    for lane in range(LANES):
                        wins = at.winner[layer, h, i, q, lane] == t
                        arrives = at.scale[i, q, lane] + (0.0 if wins else at.log_p[layer, h, i, q, t, lane])
                        largest[lane] = max(largest[lane], arrives)
                if asks and t < R:
                    for lane in range(LANES):
                        largest[lane] = max(largest[lane], at.behind[layer, h, i, t, lane])
            for lane in range(LANES):
                at.passed_scale[i, t, lane] = largest[lane]
                weight[lane] = exp(at.scale[i, t, lane] - largest[lane]) if passes else 0.0
            for a in range(d):
                for lane in range(LANES):
                    into[a, lane] = weight[lane] * at.given[i, t, a, lane] if passes else 0.0
            for h in range(H):
                for q in range(R):
                    value, key = at.value[h, i, q], at.keys[layer, h, i, q]
                    for lane in range(LANES):
                        wins = at.winner[layer, h, i, q, lane] == t
                        arrives = at.scale[i, q, lane] + (0.0 if wins else at.log_p[layer, h, i, q, t, lane])
                        factor = exp(arrives - largest[lane])
                        weight[lane] = factor * (at.p[layer, h, i, q, t, lane] if wins else 1.0)
                        other[lane] = factor * (-at.back[h, i, q, lane] if wins else at.slope[layer, h, i, q, t, lane])
                    for a in range(d):
                        for lane in range(LANES):
                            into[a, lane] += weight[lane] * value[a, lane] + other[lane] * key[a, lane]
                if asks and t < R:
                    combine(at.W[layer, h], at.mixed[layer, h, i, t], at.a)
                    for lane in range(LANES):
                        weight[lane] = exp(at.behind[layer, h, i, t, lane] - largest[lane])
                    for a in range(d):
                        for lane in range(LANES):
                            into[a, lane] += weight[lane] * at.a[a, lane]
    copy(at.passed, at.given)
    copy(at.passed_scale, at.scale)


@shared_by_loops
def gather(model, at):
    """The gradient G of every W over exp(log_factor), from all rows of its layer."""
    L, H, n = at.slope.shape[:3]
    d = at.W.shape[2]
    for lane in range(LANES):
        at.rows[0, lane] = NOWHERE
    for layer in range(L):
        for h in range(H):
            for lane in range(LANES):
                at.log_factor[layer, h, lane] = NOWHERE
            for i in range(n):
                for q in range(len(mask(model, layer))):
                    for lane in range(LANES):
                        here = at.behind[layer, h, i, q, lane]
                        at.log_factor[layer, h, lane] = max(at.log_factor[layer, h, lane], here)
                        at.rows[0, lane] = max(at.rows[0, lane], here)
    for layer in range(L):
        R = len(mask(model, layer))
        left, right = at.left[: n * R], at.right[: n * R]
        for h in range(H):
            if model.joint:
                copy(at.rows[0], at.log_factor[layer, h])
            for i in range(n):
                for q in range(R):
                    z, mixed = query(model, at, layer, i, q), at.mixed[layer, h, i, q]
                    for lane in range(LANES):
                        at.rows[1, lane] = exp(at.behind[layer, h, i, q, lane] - at.log_factor[layer, h, lane])
                    for a in range(d):
                        for lane in range(LANES):
                            left[i * R + q, a, lane] = at.rows[1, lane] * mixed[a, lane]
                            right[i * R + q, a, lane] = z[a, lane]
            gradient(left, right, at.W[layer, h], 0.0, at.G[layer, h])


@njit(**INNER)
def multiply(factors, W):
    """W = K Qᵀ, or W itself."""
    if factors.shape[0] == 1:
        copy(factors[0], W)
        return
    K, Q = factors[0], factors[1]
    for a in range(K.shape[0]):
        matvec(Q, K[a], W[a])


@njit(**INNER)
def factor_gradients(factors, G, out):
    """∂L/∂K = G Q and ∂L/∂Q = Gᵀ K, or G itself."""
    if factors.shape[0] == 1:
        copy(G, out[0])
        return
    out[:] = 0.0
    K, Q = factors[0], factors[1]
    for a in range(K.shape[0]):
        for b in range(Q.shape[0]):
            for j in range(K.shape[1]):
                for lane in range(LANES):
                    out[0, a, j, lane] += G[a, b, lane] * Q[b, j, lane]
                    out[1, b, j, lane] += G[a, b, lane] * K[a, j, lane]


@shared_by_loops
def measure(model, at):
    """The gradient of the factors, and the squared norm of each."""
    L, H, F = model.factors.shape[:3]
    for layer in range(L):
        for h in range(H):
            factor_gradients(model.factors[layer, h], at.G[layer, h], at.factors[layer, h])
            for f in range(F):
                sum_of_squares(at.factors[layer, h, f], at.norms[layer, h, f])


@shared_by_loops
def move(rule, model, at):
    """A step of gradient descent of every factor, by the norm of all or of each."""
    L, H, F, d, m = model.factors.shape[:5]
    together, size = at.rows[0], at.rows[1]
    for lane in range(LANES):
        together[lane] = 0.0
        for layer in range(L):
            for h in range(H):
                for f in range(F):
                    together[lane] += at.norms[layer, h, f, lane]
    for layer in range(L):
        for h in range(H):
            for f in range(F):
                for lane in range(LANES):
                    norm = np.sqrt(together[lane] if model.joint else at.norms[layer, h, f, lane])
                    factor = 1.0 if rule.rescaled else exp(at.log_factor[layer, h, lane])
                    size[lane] = scale(rule, norm, factor)
                weights, step = model.factors[layer, h, f], at.factors[layer, h, f]
                for a in range(d):
                    for b in range(m):
                        for lane in range(LANES):
                            weights[a, b, lane] -= size[lane] * step[a, b, lane]


@shared_by_loops
def move_head(rule, v, at):
    """A step of gradient descent of the head's parameters v, by the norm of their gradient."""
    size = at.rows[0]
    for lane in range(LANES):
        norm = 0.0
        for a in range(len(v)):
            norm += at.head[a, lane] ** 2
        size[lane] = scale(rule, np.sqrt(norm), 1.0 if rule.rescaled else exp(at.head_factor[lane]))
    for a in range(len(v)):
        for lane in range(LANES):
            v[a, lane] -= size[lane] * at.head[a, lane]


@shared_by_loops
def log_pass(model, at, weights, largest, loss, norms):
    """Log weights, softmax, loss and the norm of the gradient: one step of the arrays of a `Record`."""
    L, H, n, T = at.slope.shape[:4]
    copy(at.W, weights)
    for layer in range(L):
        R = len(mask(model, layer))
        for h in range(H):
            for i in range(n):
                for q in range(R):
                    for lane in range(LANES):
                        top = 0.0
                        for t in range(T):
                            top = max(top, at.p[layer, h, i, q, t, lane])
                        largest[layer, lane] += top / (H * n * R)
    for lane in range(LANES):
        for i in range(n):
            for q in range(len(model.top)):
                margin = model.labels[i, lane] * at.output[i, q, lane]
                one = max(-margin, 0.0) + np.log1p(np.exp(-abs(margin)))
                loss[lane] += one / (n * len(model.top))
        square = 0.0
        for layer in range(L):
            for h in range(H):
                for f in range(model.factors.shape[2]):
                    undo = exp(at.log_factor[layer, h, lane])
                    square += at.norms[layer, h, f, lane] * undo * undo
        norms[lane] = np.sqrt(square)


def descend(
    model: Model,
    head: Reader,
    rule: Mover,
    head_rule: Mover,
    at: State,
    course: Course,
    record: Record,
) -> None:
    """Train a group of stacks up to the last step to be logged; the head too, where the record has room for it.

    What is kept of the last step alone is in `at`.
    """
    moving = record.head.shape[1]
    slot = 0
    for step in range(record.kept[-1] + 1):
        forward(model, at)
        read_out(model, head, at)
        for layer in range(len(at.W) - 1, -1, -1):
            into_rows(model, at, layer)
            if layer > 0:
                into_tokens(model, at, layer)
        gather(model, at)
        measure(model, at)
        if step == record.kept[slot]:
            largest, loss, norms = record.largest[slot], record.loss[slot], record.norms[slot]
            log_pass(model, at, record.weights[slot], largest, loss, norms)
            if moving:
                copy(head.parameters, record.head[slot])
            slot += 1
        if step < record.kept[-1]:
            if rule.along_gradient:
                move(rule.gradient, model, at)
            else:
                step_by(rule, model, at, course, step)
            if moving and rule.along_gradient:
                move_head(head_rule.gradient, head.parameters, at)
            elif moving:
                head_step_by(head_rule, head.parameters, course, step)
