"""Inputs of two tokens, a signal and a noise token, with some labels flipped; in coordinates of what they span.

The noise is Gaussian in the d − 2 dimensions orthogonal to both signals. The factor L of its LQ decomposition has
independent entries: normal ones below the diagonal, χ with d − 2, d − 3, ... degrees of freedom on it (Bartlett).
So L is drawn, and no vector of d numbers. Coordinates 0 and 1 are those of the signals of +1 and −1, then n of noise.
"""

import numpy as np

from attnsvm.data.bartlett import lower
from attnsvm.data.cells import Cell, seeds
from attnsvm.data.problems import Problems

STREAM = 24100  # keeps these draws apart from others of the same seed


def cells(settings):
    every = settings["sizes"]
    return [Cell(each["n"], 2, settings["d"], seeds(settings), f"flips{each['flips']:g}") for each in every]


def width(cell):
    """The number of coordinates."""
    return cell.n + 2


def problems(cell, settings):
    """Tokens (S, n, 2, n + 2): the signal, of length √(d/n), and the noise; labels are the flipped ones.

    The head is the difference of the signals. The query is zero, the same for all inputs: a vector p stands for W z.
    """
    share = float(cell.variant.removeprefix("flips"))
    drawn = [_instance(cell, share, seed) for seed in cell.seeds]
    tokens = np.array([one for one, _ in drawn]).reshape(len(drawn), cell.n, 2, width(cell))
    labels = np.array([one for _, one in drawn]).reshape(len(drawn), cell.n)
    head = np.zeros((len(drawn), width(cell)))
    head[:, :2] = 1.0, -1.0
    queries = np.zeros((len(drawn), cell.n, width(cell)))
    return Problems(tokens, queries, labels, head, seeds=np.array(cell.seeds, dtype=np.int64))


def _instance(cell, share, seed):
    """Tokens (n, 2, n + 2) and labels (n,)."""
    n, stream = cell.n, np.random.default_rng([STREAM, cell.n, seed])
    true, flipped = stream.integers(0, 2, n), stream.random(n) < share
    tokens = np.zeros((n, 2, n + 2))
    tokens[np.arange(n), 0, true] = np.sqrt(cell.d / n)
    tokens[:, 1, 2:] = lower(stream, n, cell.d - 2)
    return tokens, (1.0 - 2.0 * true) * (1.0 - 2.0 * flipped)
