"""Inputs of a small transformer: patches of digits, or windows of text with the class of the next letter as label."""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.digits import PIXELS, TOKENS, images, patches
from attnsvm.data.problems import Problems
from attnsvm.inspect.letters import windows

STREAM, LETTERS = 232, 30  # keeps these draws apart from others with the same seed; different ones in the text


def cells(settings):
    widths = {"digits": PIXELS, "text": LETTERS}
    return [Cell(settings["images"], TOKENS, width, seeds(settings), task) for task, width in widths.items()]


def problems(cell, settings):
    inputs, classes = (patches(images()[0]), images()[1]) if cell.variant == "digits" else windows(TOKENS)
    drawn = np.stack([np.random.default_rng([STREAM, seed]).permutation(len(classes))[: cell.n] for seed in cell.seeds])
    unused = np.zeros((len(drawn), cell.n, cell.d))
    return Problems(inputs[drawn], unused, classes[drawn].astype(float), unused[:, 0], np.array(cell.seeds, dtype=int))
