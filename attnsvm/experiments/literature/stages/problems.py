"""Training sentences of three words over a vocabulary of as many words as dimensions."""

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.problems import Problems
from attnsvm.errors import require
from attnsvm.experiments.literature.stages.sentences import (
    COMPARABLE,
    SENTENCES,
    VARIANTS,
    WORDS,
    embeddings,
    sentences,
)


def cells(settings):
    n, T, d = settings["n"], settings["T"], settings["d"]
    require(T == WORDS, f"config: problems.T: a sentence has {WORDS} words, got {T}")
    require(
        n % SENTENCES == 0 and d >= COMPARABLE and n // SENTENCES <= d,
        f"config: problems.n: expected a multiple of {SENTENCES}, at most {SENTENCES} times d, and d ≥ {COMPARABLE}, "
        f"got n = {n} and d = {d}",
    )
    return one_shape(settings, VARIANTS)


def problems(cell, settings):
    """Tokens (S, n, 3, d), the best word first; the head holds the vocabulary. Labels have no meaning here."""
    words, rows = [], []
    for seed in cell.seeds:
        drawn = sentences(seed, cell.d, cell.n)
        rows.append(embeddings(seed, cell.d, cell.variant))
        words.append((drawn.trained.reshape(cell.n, WORDS), np.repeat(drawn.query, SENTENCES)))
    head = np.array(rows).reshape(len(rows), cell.d, cell.d)
    tokens = np.array([E[of] for E, (of, _) in zip(head, words, strict=True)]).reshape(len(rows), cell.n, WORDS, cell.d)
    queries = np.array([E[of] for E, (_, of) in zip(head, words, strict=True)]).reshape(len(rows), cell.n, cell.d)
    return Problems(tokens, queries, np.ones(tokens.shape[:2]), head, seeds=np.array(cell.seeds, dtype=np.int64))
