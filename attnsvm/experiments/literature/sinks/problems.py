"""Sequences of the trigger task: a first token, content, and one trigger that asks for the mean of what came before."""

import numpy as np

from attnsvm.data.cells import Cell, one_shape, seeds
from attnsvm.data.problems import Problems
from attnsvm.experiments.literature.sinks.layer import FIRST, PUBLISHED, SHUFFLED, VARIANTS, sequences

STREAM = 11487  # keeps these draws apart from others of the same seed


def cells(settings):
    size, every = settings["published_size"], seeds(settings)
    some = every[: max(1, len(every) * 2 // 5)]  # two fifths, since they cost more
    return [*one_shape(settings, VARIANTS), Cell(settings["batch"], size, size, some, PUBLISHED)]


def problems(cell, settings):
    """Tokens (S, n, T, d), of the published runs the first batch. The head V forgets the first token.

    Queries are the tokens; labels say no more than whether every batch is new, -1, or all are the same, 1.
    """
    drawn = [_instance(cell, seed, settings["noise"]) for seed in cell.seeds]
    tokens = np.array(drawn).reshape(len(drawn), cell.n, cell.T, cell.d)
    head = np.tile(np.diag(np.arange(cell.d) != FIRST).astype(float), (len(drawn), 1, 1))
    labels = np.full(tokens.shape[:2], -1.0 if cell.variant == PUBLISHED else 1.0)
    queries = np.zeros((*tokens.shape[:2], cell.d))
    return Problems(tokens, queries, labels, head, seeds=np.array(cell.seeds, dtype=np.int64))


def _instance(cell, seed, least):
    stream, size = np.random.default_rng([STREAM, seed]), (cell.n, cell.T, cell.d)
    return sequences(stream, *size, cell.variant == SHUFFLED, least)
