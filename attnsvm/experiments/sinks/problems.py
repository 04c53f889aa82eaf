"""Sequences of the trigger task: a first token, content, and one trigger that asks for the mean of what came before."""

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.problems import Problems
from attnsvm.experiments.sinks.layer import FIRST, SHUFFLED, VARIANTS, sequences

STREAM = 11487  # keeps these draws apart from others of the same seed


def cells(settings):
    return one_shape(settings, VARIANTS)


def problems(cell, settings):
    """Tokens (S, n, T, d). The head V forgets the first token; queries are the tokens, labels have no meaning here."""
    drawn = [_instance(cell, seed) for seed in cell.seeds]
    tokens = np.array(drawn).reshape(len(drawn), cell.n, cell.T, cell.d)
    head = np.tile(np.diag(np.arange(cell.d) != FIRST).astype(float), (len(drawn), 1, 1))
    labels, queries = np.ones(tokens.shape[:2]), np.zeros((*tokens.shape[:2], cell.d))
    return Problems(tokens, queries, labels, head, seeds=np.array(cell.seeds, dtype=np.int64))


def _instance(cell, seed):
    return sequences(np.random.default_rng([STREAM, seed]), cell.n, cell.T, cell.d, cell.variant == SHUFFLED)
