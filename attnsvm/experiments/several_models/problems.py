"""Layers of pretrained models on texts of their kind.

A cell is one layer, its seed the number of the layer. What its attention is given differs from model to model, so
`labels` (1, bytes) is the layer as `attnsvm.inspect` holds it, pickled, and `head` (1, letters) the name of the model;
`tokens` and `queries` are empty.
"""

import pickle
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.errors import require
from attnsvm.inspect import known
from attnsvm.inspect.layers import Layer
from attnsvm.inspect.models import Reading


def cells(settings):
    given = known.there(settings["models"])
    return [
        Cell(1, 1, 1, (layer,), f"model{settings['models'].index(name)}_layer{layer}")
        for name in given
        for layer in range(known.layers(name))
    ]


def problems(cell, settings):
    (number,) = cell.seeds
    name = settings["models"][int(cell.variant.split("_")[0].removeprefix("model"))]
    packed = np.frombuffer(pickle.dumps(_layer(name, number, settings)), np.uint8)
    nothing = np.zeros((1, 1, 1, 1))
    letters = np.frombuffer(name.encode(), np.uint8)
    return Problems(nothing, nothing[:, 0], packed[None], letters[None], np.array(cell.seeds, dtype=np.int64))


def _layer(name, number, settings) -> Layer:
    """Layers are asked for one after another; if not, the texts pass the model again."""
    for _ in range(2):
        for layer in _course(name, settings["longest"], settings["seed"]):
            if layer.number == number:
                return layer
        _course.cache_clear()
    require(False, f"{name}: has no layer {number}: its package is another release")
    raise AssertionError


@lru_cache(maxsize=1)
def _course(name: str, longest: int, seed: int) -> Iterator[Layer]:
    """The layers of a model, while its texts pass them."""

    def passing():
        with known.ready(name) as (folder, texts):
            yield from Reading(folder, texts, longest=longest, seed=seed)

    return passing()
