"""The descent loop of a stack as compiled code: LANES instances at a time, with a gradient that does not underflow.

Every vanishing factor is a logarithm. Each row of softmax (layer, head, input, query) has the gradient with respect to
its output as exp(scale)·vector, and passes it on in three ways:
  to the token t as a value:    exp(scale + log p_t)·(V g + c_t W z), with c_t = (x_t − x_winner)·V g − the mean of it;
  the second term is what t gets as a key: the logit's gradient p_t c_t times W z. Both have the one factor p_t;
  to its query: exp(scale + max log p)·Wᵀ Σ_t (p_t / max p) c_t (x_t − x_winner), over the tokens that do not win;
  to the position of the row, where there is a residual: unchanged.
What arrives at a token from several rows is summed relative to its largest factor, and the gradient of a weight
relative to the largest factor of its rows. Nothing is a difference of nearly equal numbers: all is anchored at the
winning token, by batch/softmax.py, as in kernels.evaluate.

A token may score exactly as the winner does: rows that chose the same token have the same composed token, once the
layer below has saturated. This token passes nothing on as a key: its part is of second order, and would hide the rest.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import INNER, call, combine, copy, exp, matvec, shared_by_loops, subtract
from attnsvm.batch.slopes import squares
from attnsvm.batch.softmax import anchor, behind, close
from attnsvm.batch.vector import each, larger, load, root, smaller, store, where, zeros
from attnsvm.training.heads.base import Reader
from attnsvm.training.kernels import gradient, scale
from attnsvm.training.optimisers.calls import Mover
from attnsvm.training.stack.rows import mask, query
from attnsvm.training.stack.update import Course, head_step_by, step_by

NOWHERE = -1e300  # the logarithm of a factor that is zero; two of them still add up to a finite number


class Model(NamedTuple):
    """A group of LANES stacks; arrays end in LANES.

    Attributes:
        tokens: (n, T, d). queries: (n, d), those of the top under cross-attention. labels: (n,).
        values: (L, H, d, d), or (0, ...) where all are the identity.
        below: (T, T), top: (R, T): 0, or NOWHERE where a token does not compete; no lanes.
        embedding: (d, p), the head's, or (0, 0) where it is the identity.
        factors: (L, H, 1, d, d) for W, or (L, H, 2, d, m) for K and Q; moved in place.
        residual, cross, joint: see `attnsvm.data.architecture.Stack`.
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
        left, right: (nT, d) scratch. a, b: (d,) scratch. total: () scratch; token: (T,) scratch.
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
    total: np.ndarray
    token: np.ndarray
    factors: np.ndarray
    norms: np.ndarray


def room(model: Model, q: int) -> State:
    """Room for the passes of a group; q parameters of the head are trained."""
    n, T, d = model.tokens.shape[:3]
    L, H = model.factors.shape[:2]
    p = model.embedding.shape[1]
    return State(
        zeros((L, H, d, d, LANES)),
        zeros((L, H, d, d, LANES)),
        zeros((L, H, LANES)),
        zeros((L, n, T, d, LANES)),
        zeros((L, H, n, T, d, LANES)),
        zeros((L, H, n, T, T, LANES)),
        zeros((L, H, n, T, T, LANES)),
        zeros((L, H, n, T, T, LANES)),
        zeros((L, H, n, T, LANES)),
        zeros((L, H, n, T, d, LANES)),
        zeros((L, H, n, T, LANES)),
        zeros((H, n, T, d, LANES)),
        zeros((H, n, T, LANES)),
        zeros((n, T, d, LANES)),
        zeros((n, T, LANES)),
        zeros((n, T, d, LANES)),
        zeros((n, T, LANES)),
        zeros((n, T, LANES)),
        zeros((n, T, d, LANES)),
        zeros((p, LANES)),
        zeros((p, LANES)),
        zeros((q, LANES)),
        zeros((LANES,)),
        zeros((q, LANES)),
        zeros((n * T, d, LANES)),
        zeros((n * T, d, LANES)),
        zeros((d, LANES)),
        zeros((d, LANES)),
        zeros((LANES,)),
        zeros((T, LANES)),
        zeros(model.factors.shape),
        zeros((L, H, 2, LANES)),
    )


@shared_by_loops
def forward(model, at):
    """Softmax of every row, composed tokens of every layer, and the mixture of the top."""
    L, H, n, T = at.slope.shape[:4]
    d = at.W.shape[2]
    total = at.total
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
                    store(out[a], load(tokens[q, a]) if model.residual and not last else each(0.0))
                z = query(model, at, layer, i, q)
                for h in range(H):
                    key, log_p, p = at.keys[layer, h, i, q], at.log_p[layer, h, i, q], at.p[layer, h, i, q]
                    winner, W = at.winner[layer, h, i, q], at.W[layer, h]
                    matvec(W, z, key)
                    matvec(tokens, key, log_p)
                    for t in range(T):
                        store(log_p[t], load(log_p[t]) + masked[q, t])
                    behind(log_p, winner)
                    first, others = load(winner), each(0.0)
                    for t in range(T):
                        others = others + where(first == t, 0.0, exp(load(log_p[t])))
                    store(total, others)
                    for lane in range(LANES):
                        total[lane] = np.log1p(total[lane])
                    for t in range(T):
                        log = load(log_p[t]) - load(total)
                        store(log_p[t], log)
                        store(p[t], exp(log))
                    combine(tokens, p, at.a)
                    mixed = at.a
                    if len(model.values):
                        combine(model.values[layer, h], at.a, at.b)
                        mixed = at.b
                    for a in range(d):
                        store(out[a], load(out[a]) + load(mixed[a]))


@njit(**INNER, inline="always")
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
                store(at.given[i, q, a], load(at.given[i, q, a]) * -load(model.labels[i]))
    if len(at.head):
        at.head[:] = 0.0
        for i in range(n):
            for q in range(R):
                weight = -load(model.labels[i]) * exp(load(at.scale[i, q]) - load(at.head_factor))
                call(head.parameter_slope, head.parameters, head.number, seen(model, at, i, q), at.by_head)
                for a in range(len(at.head)):
                    store(at.head[a], load(at.head[a]) + weight * load(at.by_head[a]))


@shared_by_loops
def into_rows(model, at, layer):
    """From the gradient of a layer's outputs to that of its logits, row by row."""
    H, n, T = at.value.shape[:3]
    R = len(mask(model, layer))
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
                mean, largest = anchor(slope, p, winner), each(NOWHERE)
                for t in range(T):
                    c, log = load(slope[t]), load(log_p[t])
                    log = where(c == 0.0, NOWHERE, where(log > 0.5 * NOWHERE, log, NOWHERE))
                    store(slope[t], where(log > 0.5 * NOWHERE, c - mean, 0.0))
                    largest = larger(largest, log)
                for t in range(T):
                    store(share[t], exp(smaller(load(log_p[t]) - largest, 0.0)) * load(slope[t]))
                total = close(share, winner)
                combine(tokens, share, at.mixed[layer, h, i, q])
                store(at.back[h, i, q], exp(largest) * total)
                store(at.behind[layer, h, i, q], load(at.scale[i, q]) + largest)


@shared_by_loops
def into_tokens(model, at, layer):
    """From the rows of a layer to the gradient of its inputs: as values, keys, queries, and past the layer.

    It is the gradient of the outputs of the layer below.
    """
    H, n, T, d = at.value.shape[:4]
    last = layer == at.W.shape[0] - 1
    R = len(mask(model, layer))
    passes, asks = model.residual and not last, not (last and model.cross)
    for i in range(n):
        for t in range(T):
            into = at.passed[i, t]
            largest = load(at.scale[i, t]) if passes else each(NOWHERE)
            for h in range(H):
                for q in range(R):
                    wins = load(at.winner[layer, h, i, q]) == t
                    arrives = load(at.scale[i, q]) + where(wins, 0.0, load(at.log_p[layer, h, i, q, t]))
                    largest = larger(largest, arrives)
                if asks and t < R:
                    largest = larger(largest, load(at.behind[layer, h, i, t]))
            store(at.passed_scale[i, t], largest)
            weight = exp(load(at.scale[i, t]) - largest)
            for a in range(d):
                store(into[a], weight * load(at.given[i, t, a]) if passes else each(0.0))
            for h in range(H):
                for q in range(R):
                    value, key = at.value[h, i, q], at.keys[layer, h, i, q]
                    wins = load(at.winner[layer, h, i, q]) == t
                    arrives = load(at.scale[i, q]) + where(wins, 0.0, load(at.log_p[layer, h, i, q, t]))
                    factor = exp(arrives - largest)
                    weight = factor * where(wins, load(at.p[layer, h, i, q, t]), 1.0)
                    other = factor * where(wins, -load(at.back[h, i, q]), load(at.slope[layer, h, i, q, t]))
                    for a in range(d):
                        store(into[a], load(into[a]) + (weight * load(value[a]) + other * load(key[a])))
                if asks and t < R:
                    combine(at.W[layer, h], at.mixed[layer, h, i, t], at.a)
                    weight = exp(load(at.behind[layer, h, i, t]) - largest)
                    for a in range(d):
                        store(into[a], load(into[a]) + weight * load(at.a[a]))
    copy(at.passed, at.given)
    copy(at.passed_scale, at.scale)


@shared_by_loops
def gather(model, at):
    """The gradient G of every W over exp(log_factor), from all rows of its layer."""
    L, H, n = at.slope.shape[:3]
    d = at.W.shape[2]
    overall = each(NOWHERE)
    for layer in range(L):
        for h in range(H):
            largest = each(NOWHERE)
            for i in range(n):
                for q in range(len(mask(model, layer))):
                    largest = larger(largest, load(at.behind[layer, h, i, q]))
            store(at.log_factor[layer, h], largest)
            overall = larger(overall, largest)
    for layer in range(L):
        R = len(mask(model, layer))
        left, right = at.left[: n * R], at.right[: n * R]
        for h in range(H):
            if model.joint:
                store(at.log_factor[layer, h], overall)
            for i in range(n):
                for q in range(R):
                    z, mixed = query(model, at, layer, i, q), at.mixed[layer, h, i, q]
                    weight = exp(load(at.behind[layer, h, i, q]) - load(at.log_factor[layer, h]))
                    for a in range(d):
                        store(left[i * R + q, a], weight * load(mixed[a]))
                    copy(z, right[i * R + q])
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
    K, Q = factors[0], factors[1]
    d, m = K.shape[:2]
    for a in range(d):
        for j in range(m):
            of_K, of_Q = each(0.0), each(0.0)
            for b in range(d):
                of_K = of_K + load(G[a, b]) * load(Q[b, j])
                of_Q = of_Q + load(G[b, a]) * load(K[b, j])
            store(out[0, a, j], of_K)
            store(out[1, a, j], of_Q)


@shared_by_loops
def measure(model, at):
    """The gradient of the factors, and the squared norm of each."""
    L, H, F = model.factors.shape[:3]
    for layer in range(L):
        for h in range(H):
            factor_gradients(model.factors[layer, h], at.G[layer, h], at.factors[layer, h])
            for f in range(F):
                store(at.norms[layer, h, f], squares(at.factors[layer, h, f]))


@shared_by_loops
def move(rule, model, at):
    """A step of gradient descent of every factor, by the norm of all or of each."""
    L, H, F = model.factors.shape[:3]
    together = each(0.0)
    for layer in range(L):
        for h in range(H):
            for f in range(F):
                together = together + load(at.norms[layer, h, f])
    for layer in range(L):
        for h in range(H):
            factor = each(1.0) if rule.rescaled else exp(load(at.log_factor[layer, h]))
            for f in range(F):
                norm = root(together if model.joint else load(at.norms[layer, h, f]))
                subtract(model.factors[layer, h, f], scale(rule, norm, factor), at.factors[layer, h, f])


@shared_by_loops
def move_head(rule, v, at):
    """A step of gradient descent of the head's parameters v, by the norm of their gradient."""
    norm = each(0.0)
    for a in range(len(v)):
        norm = norm + load(at.head[a]) * load(at.head[a])
    step = scale(rule, root(norm), each(1.0) if rule.rescaled else exp(load(at.head_factor)))
    for a in range(len(v)):
        store(v[a], load(v[a]) - step * load(at.head[a]))


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
    model: Model, head: Reader, rule: Mover, head_rule: Mover, at: State, course: Course, record: Record
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
