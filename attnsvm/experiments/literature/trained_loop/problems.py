"""The contexts of looped, labelled by a plane: what the models are trained for."""

import numpy as np

from attnsvm.data.draws import draw_cell
from attnsvm.experiments.literature.looped.problems import cells as cells
from attnsvm.experiments.literature.looped.problems import context


def by_plane(streams, n, T, d):
    tokens, queries, labels, plane = context(streams, n, T, d)
    return np.sign(tokens[:, :, :1] @ plane[:, None, :, None]) * tokens, queries, labels, plane


def problems(cell, settings):
    return draw_cell(by_plane, cell)
