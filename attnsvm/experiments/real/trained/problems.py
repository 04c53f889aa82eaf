"""The patches of all digits in a random order per instance: images to train on first, those held out behind them.

One position per image asks; it is drawn with the order, and its patch is the instance's query. Later stages look the
digit of an image up by that order: the label of an instance is its parity.
"""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.digits import PIXELS, TOKENS, images, patches
from attnsvm.data.problems import Problems

STREAM = 15023  # keeps these draws apart from others with the same seed
TRAINED_ON = 2 / 3  # share of the images


def cells(settings):
    return [Cell(settings["images"], TOKENS, PIXELS, seeds(settings))]


def problems(cell, settings):
    pixels, digits = images()
    tokens = patches(pixels)
    drawn = [order(seed, cell.n) for seed in cell.seeds]
    chosen = np.array([images for images, _ in drawn], dtype=int).reshape(len(drawn), cell.n)
    positions = np.array([places for _, places in drawn], dtype=int).reshape(chosen.shape)
    labels = np.where(digits[chosen] % 2, 1.0, -1.0)
    head = np.zeros((len(drawn), cell.d))  # unused: the network has its own head
    return Problems(tokens[chosen], tokens[chosen, positions], labels, head, np.array(cell.seeds, dtype=np.int64))


def order(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the images (count,), and the position that asks in each (count,)."""
    rng = np.random.default_rng([STREAM, seed])
    return rng.permutation(len(images()[1]))[:count], rng.integers(TOKENS, size=count)


def trained_on(count: int) -> int:
    """How many of an instance's images the network is trained on: the first ones."""
    return round(TRAINED_ON * count)
