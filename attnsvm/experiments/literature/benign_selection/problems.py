"""Inputs of noise tokens, a few of them with signals, as the code of arXiv:2409.17625 makes them; in coordinates.

A token is Gaussian noise in d dimensions. The signals of the classes lie along the coordinates 0 and 1. Of the noise,
these two coordinates are normal numbers, and in the d − 2 others the n·T tokens are the rows of the factor L of their
LQ decomposition, whose independent entries are drawn: normal ones below the diagonal, χ on it (Bartlett).
"""

import numpy as np

from attnsvm.data.bartlett import lower
from attnsvm.data.cells import one_shape
from attnsvm.data.problems import Problems
from attnsvm.experiments.literature.benign_selection.layer import classes

STREAM = 24090  # keeps these draws apart from others of the same seed


def cells(settings):
    return one_shape(settings)


def width(cell):
    """The number of coordinates."""
    return cell.n * cell.T + 2


def problems(cell, settings):
    """Tokens (S, n, T, nT + 2) without their signals; labels of the classes, the first ones of each class flipped.

    The head is of length one, along the difference of the signals. The query is zero: a vector W p stands for W z.
    """
    k, S = width(cell), len(cell.seeds)
    tokens = np.zeros((S, cell.n * cell.T, k))
    for one, seed in zip(tokens, cell.seeds, strict=True):
        stream = np.random.default_rng([STREAM, seed])
        one[:, :2] = stream.standard_normal((len(one), 2))
        one[:, 2:] = lower(stream, len(one), cell.d - 2)
    true, few = classes(cell.n), int(np.ceil(cell.n * settings["flips"])) // 2
    labels = true.copy()
    for y in (1.0, -1.0):
        labels[np.flatnonzero(true == y)[:few]] = -y
    head, queries = np.zeros((S, k)), np.zeros((S, cell.n, k))
    head[:, :2] = np.array([1.0, -1.0]) / np.sqrt(2.0)
    shaped = tokens.reshape(S, cell.n, cell.T, k)
    return Problems(shaped, queries, np.tile(labels, (S, 1)), head, seeds=np.array(cell.seeds, dtype=np.int64))
