"""The copying task: … A B … A, and the answer is B. Its inputs, their tokens, and what stands where in a token.

A token has three blocks: the one-hot code of its symbol, that of its position, and room for what the layer below
writes.
"""

from itertools import permutations

import numpy as np

from attnsvm.data.copying import dimension


def every_input(T: int) -> np.ndarray:
    """All inputs (N, T): each of T − 1 symbols once in any order, then again one that has another symbol behind it."""
    orders = np.array(list(permutations(range(T - 1))))
    return np.concatenate([np.column_stack([orders, orders[:, k]]) for k in range(T - 2)])


def symbols_of(tokens: np.ndarray) -> np.ndarray:
    """The symbols (..., T) of tokens (..., T, d)."""
    return tokens[..., : tokens.shape[-2] - 1].argmax(-1)


def first_place(tokens: np.ndarray) -> np.ndarray:
    """Where the last symbol stood before, (...) int; the answer stands behind it."""
    symbols = symbols_of(tokens)
    return (symbols[..., :-1] == symbols[..., -1:]).argmax(-1)


def carried(T: int) -> np.ndarray:
    """The value matrix (d, d) of the layer below: x @ carried(T) has the symbol of x in the third block alone."""
    d, first = dimension(T), 2 * T - 1
    return np.eye(d, k=first) * (np.arange(d) < T - 1)[:, None]


def read(T: int) -> np.ndarray:
    """What the classifier reads of a token, (d, T − 1): its symbol, and not the third block."""
    return np.eye(dimension(T), T - 1)
