"""The max-margin solutions of both stages."""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    """Answers "first": every next word before all others; "second": the best word of a sentence before the others."""
    best = np.zeros(problems.tokens.shape[:2], dtype=int)
    pairs = next_word_problems(problems)
    after = np.broadcast_to((np.arange(pairs.tokens.shape[1]) + 1) % pairs.tokens.shape[1], pairs.labels.shape)
    return {"first": certified(pairs, after, "fro"), "second": certified(problems, best, "fro")}


def next_word_problems(problems) -> Problems:
    """For every word x the choice among all words v: (e_y − e_v)ᵀ V x ≥ 1, y the word that follows."""
    S, d = problems.head.shape[:2]
    units = np.broadcast_to(np.eye(d), (S, d, d, d))
    return Problems(units, problems.head, np.ones((S, d)), problems.head, seeds=problems.seeds)
