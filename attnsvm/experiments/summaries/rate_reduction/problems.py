"""Digits as patches, a random choice of images for every seed; the label says whether the digit is even."""

from functools import cache

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.digits import TOKENS, WIDTH, images, patches, placed
from attnsvm.data.problems import Problems

IMAGE_STREAM = 51407  # keeps the choice of images apart from what else is drawn with the same seed


def cells(settings):
    return one_shape(settings | {"T": TOKENS, "d": WIDTH})


def problems(cell, settings):
    """The first half of the inputs is for training. The query of an input is the mean of its tokens."""
    tokens, even = digits()
    draws = [np.random.default_rng([IMAGE_STREAM, seed]) for seed in cell.seeds]
    chosen = np.array([draw.permutation(len(tokens))[: cell.n] for draw in draws], dtype=int).reshape(-1, cell.n)
    head = np.array([draw.normal(size=cell.d) / np.sqrt(cell.d) for draw in draws]).reshape(-1, cell.d)
    drawn = tokens[chosen]
    return Problems(drawn, drawn.mean(2), even[chosen], head, np.array(cell.seeds, dtype=np.int64))


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Tokens (1797, 16, 20) and labels (1797,), +1 where the digit is even."""
    pictures, digit = images()
    return placed(patches(pictures)), np.where(digit % 2 == 0, 1.0, -1.0)
