"""Which query attends to which tokens: every kind of attention as a batch of (tokens, query, label) inputs.

cross     the query z_i is given
self      z_i = x_i1
sequence  a query at every position k of every input, z = x_ik
causal    the same, and only tokens t ≤ k compete
"""

from dataclasses import dataclass

import numpy as np

from attnsvm.data.problems import Problems


@dataclass(frozen=True)
class Inputs:
    """S instances with N queries each.

    Attributes:
        tokens: (S, N, T, d).
        queries: (S, N, d).
        labels: (S, N).
        allowed: (S, N, T) bool, the tokens that compete for each query.
    """

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    allowed: np.ndarray


def cross(problems: Problems) -> Inputs:
    """Cross-attention: each input has the query that was drawn for it."""
    return Inputs(problems.tokens, problems.queries, problems.labels, _everywhere(problems))


def self_(problems: Problems) -> Inputs:
    """Self-attention: the first token of each input is its query."""
    return Inputs(problems.tokens, problems.tokens[:, :, 0], problems.labels, _everywhere(problems))


def sequence(problems: Problems) -> Inputs:
    """Every token of an input is a query, and attends to all tokens of the input."""
    T = problems.tokens.shape[2]
    return _at_every_position(problems, np.ones((T, T), dtype=bool))


def causal(problems: Problems) -> Inputs:
    """Every token of an input is a query, and attends to the tokens up to itself."""
    return _at_every_position(problems, np.tri(problems.tokens.shape[2], dtype=bool))


def _everywhere(problems: Problems) -> np.ndarray:
    """All tokens compete, (S, n, T)."""
    return np.ones(_shape(problems)[:3], dtype=bool)


def _at_every_position(problems: Problems, sees: np.ndarray) -> Inputs:
    """`sees` (T, T): which tokens the query at each position sees."""
    S, n, T, d = _shape(problems)
    allowed = np.broadcast_to(np.tile(sees, (n, 1)), (S, n * T, T))
    tokens, labels = (np.repeat(x, T, axis=1) for x in (problems.tokens, problems.labels))
    return Inputs(tokens, problems.tokens.reshape(S, n * T, d), labels, allowed)


def _shape(problems: Problems) -> tuple[int, ...]:
    """(S, n, T, d); ValueError for padded inputs."""
    if problems.lengths is not None:
        raise ValueError("lengths: expected None, got inputs with padding")
    return problems.tokens.shape


ATTENTIONS = {"cross": cross, "self": self_, "sequence": sequence, "causal": causal}
