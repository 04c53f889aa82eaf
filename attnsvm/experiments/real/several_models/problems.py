"""Layers of pretrained models on texts of their kind.

A cell is one model, its seeds the numbers of the layers. What an attention is given differs from model to model, so
`labels` (S, bytes) is each layer as `attnsvm.inspect` holds it, pickled, zeros behind, and `head` (S, letters) the name
of the model; `tokens` and `queries` are empty.
"""

import pickle

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.inspect import known
from attnsvm.inspect.models import Reading


def cells(settings):
    given = known.there(settings["models"])
    depths = {name: min(known.layers(name), settings["instances"]) for name in given}
    return [Cell(1, 1, 1, range(depth), f"model{settings['models'].index(name)}") for name, depth in depths.items()]


def problems(cell, settings):
    name = settings["models"][int(cell.variant.removeprefix("model"))]
    how = {"longest": settings["longest"], "seed": settings["seed"]}
    with known.ready(name) as (folder, texts):
        packed = [np.frombuffer(pickle.dumps(layer), np.uint8) for layer in Reading(folder, texts, cell.seeds, **how)]
    S, most = len(cell.seeds), max(map(len, packed))
    labels = np.stack([np.pad(one, (0, most - len(one))) for one in packed])
    nothing = np.zeros((S, 1, 1, 1))
    letters = np.tile(np.frombuffer(name.encode(), np.uint8), (S, 1))
    return Problems(nothing, nothing[:, 0], labels, letters, np.array(cell.seeds, dtype=np.int64))
