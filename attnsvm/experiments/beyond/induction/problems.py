"""Random inputs of the copying task: n of all that there are, for each instance."""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.copying import dimension, embedded
from attnsvm.data.draws import draw_cell
from attnsvm.experiments.beyond.induction.task import every_input


def some_inputs(streams, n, T, d):
    """The first n of all inputs in a random order; queries are the last tokens. Labels and head stand for nothing."""
    every = every_input(T)
    order = streams.uniform(len(every)).argsort(axis=-1)[:, :n]
    tokens = embedded(every[order])
    return tokens, tokens[:, :, -1], np.ones(order.shape), np.zeros((len(tokens), d))


def cells(settings):
    T = settings["T"]
    return [Cell(settings["n"], T, dimension(T), seeds(settings))]


def problems(cell, settings):
    return draw_cell(some_inputs, cell)
