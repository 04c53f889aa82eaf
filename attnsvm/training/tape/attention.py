"""Attention on the tape: scores of tokens, and a softmax whose derivative keeps its digits in saturation."""

import numpy as np

from attnsvm.training import softmax as arrays
from attnsvm.training.tape.node import Node, in_front, unbroadcast
from attnsvm.training.tape.scaled import NOTHING, Scaled, by_rows, contract, from_log, largest, power_of_two, relative_to, tidy


def compare(queries: Node, keys: Node) -> Node:
    """The logits ⟨key_t, query_q⟩ (..., q, T) of queries (..., q, d) and keys (..., T, d)."""
    ndim = max(queries.value.ndim, keys.value.ndim)
    Q, K = in_front(queries.value, ndim), in_front(keys.value, ndim)

    def to_queries(g: Scaled) -> Scaled:
        return unbroadcast(contract(g, relative_to(K, g.winner)), queries.shape)

    def to_keys(g: Scaled) -> Scaled:
        across = Scaled(g.m.swapaxes(-1, -2), np.broadcast_to(g.k, g.m.shape).swapaxes(-1, -2))
        return unbroadcast(contract(across, Q), keys.shape)

    return Node(Q @ K.swapaxes(-1, -2), (queries, to_queries), (keys, to_keys))


def scores(tokens: Node, W: Node, queries: Node) -> Node:
    """The logits x_tᵀ W z_q (..., q, T) of tokens (..., T, d), W (d, e) and queries (..., q, e)."""
    return compare(queries @ W.T, tokens)


def softmax(logits: Node, mask: np.ndarray | None = None, temperature: float = 1.0) -> Node:
    """Probabilities (..., q, T) over the last axis.

    Args:
        logits: (..., q, T).
        mask: which tokens take part, bool, of a shape that broadcasts to (S, ..., q, T); at least one of each row.
        temperature: divides the logits.
    """
    z = logits.value / temperature
    at = arrays.softmax(z if mask is None else np.where(mask, z, -np.inf))

    def pull(g: Scaled) -> Scaled:
        return _through(at, g, 1.0 / temperature)

    return Node(at.p, (logits, pull), log=at.log, winner=at.winner)


def _through(at: arrays.Softmax, g: Scaled, factor: float) -> Scaled:
    """From ∂L/∂p to ∂L/∂logits: p_t (c_t − Σ_s p_s c_s) with c_t = g_t − g_winner."""
    g = by_rows(g)
    c = arrays.relative(at, g.m)
    shares, powers = from_log(at.log)
    mean = (at.p * c).sum(-1, keepdims=True)
    m, k = shares * (c - mean), powers + g.k
    tied = c == 0.0
    if np.count_nonzero(tied) > mean.size:  # more than the winners: of these the mean is all there is
        apart = np.where(tied, NOTHING, powers)
        unit = largest(apart)
        mean = tidy(Scaled((shares * c * power_of_two(apart - unit)).sum(-1, keepdims=True), unit))
        m, k = np.where(tied, -shares * mean.m, m), np.where(tied, k + mean.k, k)
    others = tidy(Scaled(arrays.with_winner(factor * m, at.winner, 0.0), k))
    unit = largest(others.k)
    own = tidy(Scaled(-(others.m * power_of_two(others.k - unit)).sum(-1, keepdims=True), unit))
    m, k = (arrays.with_winner(*pair) for pair in ((others.m, at.winner, own.m), (others.k, at.winner, own.k)))
    return Scaled(m, k, at.winner)


def straight_through(p: Node) -> Node:
    """One for the token of largest probability and zero for the others, with the derivative of p (arXiv 1308.3432)."""
    hard = arrays.with_winner(np.zeros(p.value.shape), p.winner, 1.0)
    return Node(hard, (p, lambda g: g), winner=p.winner)


def log_softmax(logits: Node, mask: np.ndarray | None = None) -> Node:
    """The logarithms of the probabilities of `softmax`; of a token that is shut out 0, and nothing depends on it."""
    at = arrays.softmax(logits.value if mask is None else np.where(mask, logits.value, -np.inf))
    inside = at.log != -np.inf

    def pull(g: Scaled) -> Scaled:
        g = by_rows(g)
        m = np.where(inside, g.m, 0.0)
        return tidy(Scaled(m - at.p * m.sum(-1, keepdims=True), g.k))

    return Node(np.where(inside, at.log, 0.0), (logits, pull))


def probability(p: Node, where: np.ndarray) -> Node:
    """The probability (..., q) of a set of tokens, with its logarithm.

    Args:
        p: a softmax (..., q, T).
        where: the tokens of the set, bool, of a shape that broadcasts to (S, ..., q, T).
    """
    inside = np.broadcast_to(where, p.value.shape)
    logs = np.where(inside, p.log, -np.inf)
    top = np.maximum(logs.max(-1, keepdims=True), -1e300)
    with np.errstate(divide="ignore"):
        log = (top + np.log(np.exp(logs - top).sum(-1, keepdims=True)))[..., 0]

    def pull(g: Scaled) -> Scaled:
        return Scaled(g.m[..., None] * inside, np.broadcast_to(g.k, g.m.shape)[..., None])

    return Node(np.exp(log), (p, pull), log=log)


def entropy(p: Node) -> Node:
    """−Σ_t p_t log p_t of each row of a softmax, (..., q)."""
    log = np.where(p.value > 0.0, np.maximum(p.log, -1e300), 0.0)
    apart = np.where(p.log > -np.inf, np.maximum(p.log, -1e300), 0.0)

    def pull(g: Scaled) -> Scaled:
        k = np.broadcast_to(g.k, g.m.shape)[..., None]
        return tidy(Scaled(-g.m[..., None] * (apart + 1.0), k))

    return Node(-(p.value * log).sum(-1), (p, pull))
