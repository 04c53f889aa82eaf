"""Contexts of labelled examples: token 0 of input k is y_k x_k, token 1 is zero, so that its margin is y_k⟨x_k, w⟩."""

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian


def context(streams, n, T, d):
    """Unit Gaussian examples with random labels; the queries are the first axis, so that W acts by its first column."""
    tokens, queries, labels, v = gaussian(streams, n, T, d)
    examples = labels[..., None] * tokens[:, :, 0]
    return np.stack([examples, 0.0 * examples], 2), np.broadcast_to(np.eye(d)[0], queries.shape), labels, v


def cells(settings):
    return one_shape(settings | {"T": 2})


def problems(cell, settings):
    return draw_cell(context, cell)
