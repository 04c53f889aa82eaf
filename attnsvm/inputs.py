"""Which query attends to which tokens: every kind of attention as a batch of (tokens, query, label) inputs.

cross     the query z_i is given
self      z_i = x_i1
sequence  a query at every position k of every input, z = x_ik
causal    the same, and only tokens t ≤ k compete
"""

from dataclasses import dataclass

import numpy as np

from attnsvm.problems import Problems


@dataclass(frozen=True)
class Inputs:
    """S instances with N queries each.

    Attributes:
        tokens: (S, N, T, d).
        queries: (S, N, d).
        labels: (S, N).
        allowed: (N, T) bool, the tokens that compete for each query.
    """

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    allowed: np.ndarray


def cross(problems: Problems) -> Inputs:
    """Cross-attention: each input has the query that was drawn for it."""
    return _all_allowed(problems.tokens, problems.queries, problems.labels)


def self_(problems: Problems) -> Inputs:
    """Self-attention: the first token of each input is its query."""
    return _all_allowed(problems.tokens, problems.tokens[:, :, 0], problems.labels)


def sequence(problems: Problems) -> Inputs:
    """Every token of an input is a query, and attends to all tokens of the input."""
    S, n, T, d = problems.tokens.shape
    tokens = np.repeat(problems.tokens, T, axis=1)
    return _all_allowed(tokens, problems.tokens.reshape(S, n * T, d), np.repeat(problems.labels, T, axis=1))


def causal(problems: Problems) -> Inputs:
    """Every token of an input is a query, and attends to the tokens up to itself."""
    everywhere = sequence(problems)
    n, T = problems.tokens.shape[1:3]
    allowed = np.tile(np.tri(T, dtype=bool), (n, 1))
    return Inputs(everywhere.tokens, everywhere.queries, everywhere.labels, allowed)


def _all_allowed(tokens, queries, labels) -> Inputs:
    return Inputs(tokens, queries, labels, np.ones(tokens.shape[1:3], dtype=bool))


ATTENTIONS = {"cross": cross, "self": self_, "sequence": sequence, "causal": causal}
