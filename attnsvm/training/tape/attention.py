"""Attention on the tape: scores of tokens, and a softmax whose derivative keeps its digits in saturation."""

import numpy as np

from attnsvm.training import softmax as arrays
from attnsvm.training.tape.node import Node, Operand, filled, in_front, logarithms, unbroadcast
from attnsvm.training.tape.rows import contract, through_softmax
from attnsvm.training.tape.scaled import Scaled, across, by_entries, by_rows, closed, from_log, largest, plus, tidy


def compare(queries: Node, keys: Node) -> Node:
    """The logits ⟨key_t, query_q⟩ (..., q, T) of queries (..., q, d) and keys (..., T, d).

    Raises:
        ValueError: the shapes do not fit.
    """
    ndim = max(queries.value.ndim, keys.value.ndim)
    Q, K = in_front(queries.value, ndim), in_front(keys.value, ndim)
    try:
        out = Q @ K.swapaxes(-1, -2)
    except ValueError:
        shapes = f"{queries.shape} and {keys.shape}"
        raise ValueError(f"compare: expected queries (..., q, d) and keys (..., T, d), got {shapes}") from None

    def to_queries(g: Scaled) -> Scaled:
        return unbroadcast(contract(g, K, over=g.winner), queries.shape)

    def to_keys(g: Scaled) -> Scaled:
        return unbroadcast(contract(across(g), Q), keys.shape)

    return Node(out, (queries, to_queries), (keys, to_keys))


def scores(tokens: Node, W: Node, queries: Node) -> Node:
    """The logits x_tᵀ W z_q (..., q, T) of tokens (..., T, d), W (d, e) and queries (..., q, e)."""
    return compare(queries @ W.T, tokens)


def softmax(logits: Node, mask: Operand | None = None, temperature: float = 1.0) -> Node:
    """Probabilities (..., q, T) over the last axis.

    Args:
        logits: (..., q, T).
        mask: which tokens take part, bool: an array for all instances or a node, of a shape that broadcasts to that of
            the logits.
        temperature: divides the logits.

    Raises:
        ValueError: in a row no token takes part.
    """
    at = arrays.softmax(_masked(logits, mask) / temperature)

    def pull(g: Scaled) -> Scaled:
        return through_softmax(at, g, 1.0 / temperature)

    return Node(at.p, (logits, pull), log=at.log, winner=at.winner)


def _masked(logits: Node, mask: Operand | None) -> np.ndarray:
    """The logits, −∞ where a token is shut out."""
    if mask is None:
        return logits.value
    inside = filled("mask", mask, logits) != 0.0
    if not largest(inside).all():
        raise ValueError("mask: expected at least one token in each row")
    return np.where(inside, logits.value, -np.inf)


def straight_through(p: Node) -> Node:
    """One for the token of largest probability and zero for the others, with the derivative of p (arXiv 1308.3432)."""
    hard = arrays.with_winner(np.zeros(p.value.shape), p.winner, 1.0)
    return Node(hard, (p, lambda g: g), winner=p.winner)


def log_softmax(logits: Node, mask: Operand | None = None) -> Node:
    """The logarithms of the probabilities of `softmax`; of a token that is shut out 0, and nothing depends on it."""
    at = arrays.softmax(_masked(logits, mask))
    inside = at.log != -np.inf

    def pull(g: Scaled) -> Scaled:
        given = by_entries(g._replace(m=np.where(inside, g.m, 0.0)))
        rows, (shares, powers) = by_rows(given), from_log(at.log)
        spread = tidy(Scaled(-shares * rows.m.sum(-1, keepdims=True), powers + rows.k))
        return closed(plus(given, spread), at.winner)

    return Node(np.where(inside, at.log, 0.0), (logits, pull))


def probability(p: Node, where: Operand) -> Node:
    """The probability (..., q) of a set of tokens, with its logarithm.

    Args:
        p: a softmax (..., q, T).
        where: the tokens of the set, as `mask` in `softmax`.

    Raises:
        ValueError: p is no softmax.
    """
    inside = filled("where", where, p) != 0.0
    logs = np.where(inside, logarithms(p), -np.inf)
    top = np.maximum(largest(logs), -1e300)
    with np.errstate(divide="ignore"):
        log = (top + np.log(arrays.added(np.exp(logs - top))))[..., 0]

    def pull(g: Scaled) -> Scaled:
        return Scaled(g.m[..., None] * inside, np.broadcast_to(g.k, g.m.shape)[..., None])

    return Node(np.exp(log), (p, pull), log=log)


def entropy(p: Node) -> Node:
    """−Σ_t p_t log p_t of each row of a softmax, (..., q).

    Raises:
        ValueError: p is no softmax.
    """
    log = np.where(logarithms(p) > -np.inf, logarithms(p), 0.0)

    def pull(g: Scaled) -> Scaled:
        k = np.broadcast_to(g.k, g.m.shape)[..., None]
        return tidy(Scaled(-g.m[..., None] * (log + 1.0), k))

    return Node(-(p.value * log).sum(-1), (p, pull))
