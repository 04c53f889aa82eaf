"""Next-token data sets whose graphs have a cycle, and others whose graphs have none.

A data set is a vocabulary of unit Gaussian embeddings, and inputs of tokens drawn from it with replacement. The query
is the last token; the token to predict is any token of the input. Data sets are drawn until one is of the kind wanted.

In `Problems`: the head holds the vocabulary (its rows; zero rows fill it up), and an input's first token is the one to
predict: order has no meaning here, since the query is given.
"""

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw, unit
from attnsvm.data.graphs import token_graphs

KINDS = ("cyclic", "acyclic")
TRIES = 64  # data sets drawn at most, until one is of the kind


def cells(settings):
    return one_shape(settings, variants=KINDS)


def problems(cell, settings):
    K = settings["vocabulary"]

    def draw_some(streams, n, T, d):
        vocabulary = unit(streams.normal(K, d))
        drawn = np.minimum((streams.uniform(TRIES, n, T) * K).astype(int), K - 1)
        place = np.minimum((streams.uniform(TRIES, n) * T).astype(int), T - 1)
        S = len(vocabulary)
        tokens, queries = np.zeros((S, n, T, d)), np.zeros((S, n, d))
        for s in range(S):
            inputs, at = _first_of_kind(drawn[s], place[s], K, cell.variant)
            queries[s] = vocabulary[s][inputs[:, -1]]
            rows = np.arange(n)
            inputs[rows, at], inputs[rows, 0] = inputs[rows, 0], inputs[rows, at]
            tokens[s] = vocabulary[s][inputs]
        head = np.pad(vocabulary, ((0, 0), (0, d - K), (0, 0)))
        return tokens, queries, np.ones((S, n)), head

    return draw(draw_some, cell.seeds, cell.n, cell.T, cell.d)


def _first_of_kind(drawn, place, K, kind):
    """The first data set of the kind; the last one where there is none, which is then of the other."""
    for inputs, at in zip(drawn, place, strict=True):
        labels = inputs[np.arange(len(at)), at]
        if token_graphs(inputs, labels, K).cyclic == (kind == "cyclic"):
            break
    return inputs.copy(), at


def token_numbers(problems):
    """Vocabulary (S, K, d), inputs (S, n, T), labels (S, n) and last tokens (S, n) of drawn data sets, as numbers."""
    vocabulary = problems.head[:, np.abs(problems.head).max((0, 2)) > 0] if len(problems) else problems.head
    inputs = (problems.tokens[..., None, :] == vocabulary[:, None, None]).all(-1).argmax(-1)
    last = (problems.queries[..., None, :] == vocabulary[:, None]).all(-1).argmax(-1)
    return vocabulary, inputs, inputs[..., 0], last
