"""Patches of digits: tokens with their places, the whole image as query, and parity as label.

An instance is a sample of the images, those to train on first (`rungs.fitted`), those held out behind them.
"""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.digits import TOKENS, WIDTH, images, patches, placed
from attnsvm.data.problems import Problems
from attnsvm.experiments.real.ladder.rungs import HELD_OUT

STREAM = 15021  # keeps these draws apart from others with the same seed


def cells(settings):
    """One cell; its inputs are those to train on and those held out."""
    return [Cell(settings["n"] * (1 + HELD_OUT), TOKENS, WIDTH, seeds(settings))]


def problems(cell, settings):
    pixels, digits = images()
    tokens, flat = placed(patches(pixels)), pixels.reshape(len(pixels), -1)
    flat = flat - flat.mean(0)
    S = len(cell.seeds)
    chosen = np.empty((S, cell.n), dtype=int)
    queries, v = np.empty((S, cell.n, cell.d)), np.empty((S, cell.d))
    for s, seed in enumerate(cell.seeds):
        rng = np.random.default_rng([STREAM, seed])
        chosen[s] = rng.permutation(len(pixels))[: cell.n]
        directions = np.linalg.qr(rng.normal(size=(flat.shape[1], cell.d)))[0]
        queries[s] = flat[chosen[s]] @ directions
        v[s] = rng.normal(size=cell.d)
        v[s] /= np.linalg.norm(v[s])
    labels = np.where(digits[chosen] % 2, 1.0, -1.0)
    return Problems(tokens[chosen], queries, labels, v, np.array(cell.seeds, dtype=np.int64))
