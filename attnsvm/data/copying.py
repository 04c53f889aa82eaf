"""The tokens of the copying task, … A B … A, whose answer is B.

A token has three blocks: the one-hot code of its symbol, that of its position, and room for what the layer below
writes.
"""

import numpy as np


def dimension(T: int) -> int:
    """The dimension of the tokens: T − 1 symbols, T positions, and room for a symbol."""
    return 3 * T - 2


def embedded(symbols: np.ndarray) -> np.ndarray:
    """The tokens (..., T, d) of inputs (..., T)."""
    T = symbols.shape[-1]
    tokens = np.zeros((*symbols.shape, dimension(T)))
    tokens[..., : T - 1] = np.eye(T - 1)[symbols]
    tokens[..., T - 1 : 2 * T - 1] = np.eye(T)
    return tokens
