"""The constraints of a stack of attention layers: which rows of softmax of a layer count, and at which margin.

The gradient that reaches a row has a factor for every softmax between it and the output. Where this factor is of order
one, descent widens the row's margin as it does that of the top: the row counts. That is so if a counting row of the
layer above selects the row's composed token, or if that counting row stands at the same position and a residual passes
the token on to it. Every other row is held to its winner, and to no margin.
"""

import numpy as np

from attnsvm.svm.constraints import Constraints, sequence


def counting_rows(below: np.ndarray, top: np.ndarray, passed: bool) -> np.ndarray:
    """Which rows of the layers below the top count, (S, L − 1, n, T) bool.

    Args:
        below: (S, L − 1, H, n, T) int, the token selected by the row of each position, head by head.
        top: (S, H, n, R, T) bool, the tokens selected by each row of the top.
        passed: whether a counting row's own position counts in the layer below, as with a residual.
    """
    S, layers, _, n, T = below.shape
    counts = np.zeros((S, layers, n, T), dtype=bool)
    above = top.any((1, 3))
    for layer in range(layers - 1, -1, -1):
        counts[:, layer] = above
        chosen = below[:, layer, ..., None] == np.arange(T)  # (S, H, n, T rows, T tokens)
        read = (chosen & above[:, None, :, :, None]).any((1, 3))
        above = read | above if passed else read
    return counts


def layer_constraints(tokens: np.ndarray, selected: np.ndarray, bound: np.ndarray, causal: bool = False) -> Constraints:
    """One head of a layer below the top: the row at each position selects a token with the margin asked of that row.

    Args:
        tokens: (n, T, d), what the layer sees.
        selected: (n, T) int.
        bound: (n, T), from 0; infinite: the row is left out.
        causal: only tokens up to the row's position compete.
    """
    asked = sequence(tokens, selected, causal, np.where(np.isfinite(bound), bound, 0.0))
    return asked[np.isfinite(bound).ravel()[asked.index[:, 0]]]
