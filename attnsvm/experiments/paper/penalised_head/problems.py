"""Instances of orthonormal tokens, as many as there are dimensions."""

import numpy as np
import torch

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, unit


def cells(settings):
    return one_shape(settings | {"T": settings["d"]})


def problems(cell, settings):
    return draw_cell(orthonormal, cell)


def orthonormal(streams, n: int, T: int, d: int):
    """Orthonormal tokens, T = d of them, and labels +1. Double precision from the SVD on."""
    v = unit(streams.normal(d))
    drawn = streams.normal(n, T, d).astype(np.float64)
    tokens = torch.linalg.svd(torch.from_numpy(drawn)).U.numpy()  # NumPy's SVD rounds otherwise
    queries = unit(streams.normal(n, d))
    return tokens, queries, np.ones(queries.shape[:2]), v
