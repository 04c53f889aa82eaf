"""Data of two stages: a vocabulary, the word that follows each word, and training sentences of three words.

Words are numbers 0, 1, …, d − 1, and the next number follows each; their order has no other meaning. Some words are
queries. A query has an order of COMPARABLE words, itself among them. A sentence is the query, which comes last, and two
others of these words; its next word is the one that follows the best of the three.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

STREAM = 17335  # keeps these draws apart from others of the same seed
COMPARABLE = 6  # words in the order of a query
SENTENCES = 4  # of each query, out of ten
WORDS = 3  # of a sentence
VARIANTS = ("orthonormal", "gaussian")


class Sentences(NamedTuple):
    """The sentences of m queries.

    Attributes:
        query: (m,) int.
        order: (m, COMPARABLE) int, the words of the order, the best one first.
        trained: (m, SENTENCES, WORDS) int, the words of each training sentence, the best one first.
    """

    query: np.ndarray
    order: np.ndarray
    trained: np.ndarray


def embeddings(seed: int, d: int, variant: str) -> np.ndarray:
    """The embedding of each word, (d, d), one in each row: orthonormal, or unit Gaussian."""
    drawn = np.random.default_rng([STREAM, seed, 0]).normal(size=(d, d))
    if variant == "orthonormal":
        return np.linalg.qr(drawn)[0]
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def sentences(seed: int, d: int, n: int) -> Sentences:
    """The n training sentences of a seed, over d words."""
    rng = np.random.default_rng([STREAM, seed, 1])
    query = rng.permutation(d)[: n // SENTENCES]
    order, trained = [], []
    for word in query:
        others = rng.permutation(np.delete(np.arange(d), word))[: COMPARABLE - 1]
        order.append(rng.permutation([word, *others]))
        pairs = rng.permutation(list(combinations(others, 2)))[:SENTENCES]
        trained.append([best_first(order[-1], (word, *pair)) for pair in pairs])
    return Sentences(query, np.array(order), np.array(trained))


def best_first(order: np.ndarray, words: tuple[int, ...]) -> list[int]:
    """Words of an order, the best one first."""
    return sorted(words, key=order.tolist().index)
