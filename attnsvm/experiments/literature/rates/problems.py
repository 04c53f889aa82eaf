"""Tokens of which one an input has the score 1, and every other one the score 0, as the theorem asks."""

import numpy as np

from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.data.grids.one_shape import cells as cells


def equal_scores(streams, n, T, d):
    """As `gaussian`, with the least v for which the first token of each input has the score 1, every other one 0.

    Raises:
        numpy.linalg.LinAlgError: the tokens are linearly dependent.
    """
    tokens, queries, labels, _ = gaussian(streams, n, T, d)
    wanted = labels[..., None] * (np.arange(T) == 0)
    flat = tokens.reshape(len(tokens), n * T, d).astype(np.float64)
    weights = np.linalg.solve(flat @ flat.swapaxes(1, 2), wanted.reshape(len(tokens), n * T, 1))
    return tokens, queries, labels, (flat.swapaxes(1, 2) @ weights)[..., 0]


def problems(cell, settings):
    return draw_cell(equal_scores, cell)
