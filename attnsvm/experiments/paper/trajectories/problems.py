"""One instance in the plane: two inputs, their clouds of tokens left and right of the origin."""

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw_cell, unit


def cells(settings):
    return [Cell(n=2, T=settings["T"], d=2, seeds=(settings["seed"],))]


def problems(cell, settings):
    return draw_cell(two_clouds, cell)


def two_clouds(streams, n: int, T: int, d: int):
    """Tokens of the first input around (−1, 0), of the second around (1, 0); labels +1 (n = d = 2)."""
    v = unit(streams.normal(d))
    tokens = 0.3 * streams.normal(n, T, d)
    tokens[:, 0] += np.float32([-1, 0])
    tokens[:, 1] += np.float32([1, 0])
    queries = unit(streams.normal(n, d))
    return tokens, queries, np.ones(queries.shape[:2]), v
