"""One instance in the plane: one token of each input set apart from a cloud of the others."""

import numpy as np

from attnsvm.data.draws import draw_cell, unit
from attnsvm.experiments.paper.trajectories.problems import cells

__all__ = ["cells", "one_token_apart", "problems"]


def problems(cell, settings):
    return draw_cell(one_token_apart, cell)


def one_token_apart(streams, n: int, T: int, d: int):
    """The first tokens at (1, ±½), all others around (−1, 0); labels +1 (n = d = 2)."""
    v = unit(streams.normal(d))
    tokens = 0.5 * streams.normal(n, T, d)
    tokens[:, 0, 0] = 1, 0.5
    tokens[:, 1, 0] = 1, -0.5
    tokens[:, :, 1:] += np.float32([-1, 0])
    queries = unit(streams.normal(n, d))
    return tokens, queries, np.ones(queries.shape[:2]), v
