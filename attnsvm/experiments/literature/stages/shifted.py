"""Sentences that are not among the training sentences, and what the training sentences say of their best word."""

from itertools import combinations

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.experiments.literature.stages.sentences import Sentences, best_first

KINDS = ("implied", "above", "below", "open")


def shifted(given: Sentences, d: int) -> list[tuple[str, int, tuple[int, ...]]]:
    """(kind, query, the three words, the best one first) of every other sentence of which something may be asked.

    `implied`: of words that were trained with the query; the order of the best one follows from training sentences.
    `open`: the same, and it does not follow: what is best stands in the order that nobody has shown.
    `above`: a word that was always best, and one that was never seen with the query: the former is to win.
    `below`: the query and a word that were never best, and one that was never seen with it: the latter is to win.
    """
    found = []
    for query, order, trained in zip(given.query.tolist(), given.order, given.trained, strict=True):
        better = closure({(int(best), int(other)) for best, *others in trained for other in others}, d)
        seen = sorted({int(word) for word in trained.ravel()})
        won, lost = {int(word) for word in trained[:, 0]}, {int(word) for word in trained[:, 1:].ravel()}
        always, never, unseen = sorted(won - lost), sorted(lost - won), sorted(set(range(d)) - set(seen))
        known = {frozenset(words) for words in trained.tolist()}
        for pair in combinations([word for word in seen if word != query], 2):
            words = best_first(order, (query, *pair))
            if frozenset(words) not in known:
                implied = all(better[words[0], other] for other in words[1:])
                found.append(("implied" if implied else "open", query, tuple(words)))
        for word in unseen:
            found += [("above", query, (best, word, query)) for best in always if best != query]
            if query in never:
                found += [("below", query, (word, other, query)) for other in never if other != query]
    return found


def closure(pairs: set[tuple[int, int]], d: int) -> np.ndarray:
    """(d, d) bool: which word is better than which, by these pairs and what follows from them."""
    better = np.zeros((d, d), dtype=bool)
    better[tuple(np.array(sorted(pairs)).T)] = True
    for middle in range(d):
        better |= better[:, middle, None] & better[middle]
    return better


def right(
    embeddings: np.ndarray, V: np.ndarray, W: np.ndarray, sentences: list[tuple[int, tuple[int, ...]]]
) -> np.ndarray:
    """Whether the layer says what follows the best word, for sentences (query, words) with the best word first."""
    words, queries = np.array([words for _, words in sentences]), np.array([query for query, _ in sentences])
    tokens = embeddings[words]
    logits = ((tokens @ W) * embeddings[queries][:, None]).sum(-1)
    said = (softmax(logits)[:, None] @ tokens)[:, 0] @ V.T
    return said.argmax(-1) == (words[:, 0] + 1) % len(embeddings)
