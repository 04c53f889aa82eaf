"""Inputs of the copying task in contexts of several lengths: one for each place of the first A."""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.copying import dimension, embedded
from attnsvm.data.draws import draw_cell


def one_per_place(streams, n, T, d):
    """Input k repeats its symbol k; the queries are the last tokens. Labels and head stand for nothing."""
    order = streams.uniform(n, T - 1).argsort(-1)
    tokens = embedded(np.concatenate([order, np.diagonal(order, axis1=1, axis2=2)[..., None]], -1))
    return tokens, tokens[:, :, -1], np.ones(order.shape[:2]), np.zeros((len(tokens), d))


def cells(settings):
    return [Cell(T - 2, T, dimension(T), seeds(settings)) for T in settings["lengths"]]


def problems(cell, settings):
    return draw_cell(one_per_place, cell)
