"""What the heads of a model give their tokens, on long texts of sentences in an order drawn from the seed.

`tokens` (S, layers, heads, 2·queries) are weights of the selected tokens, then entropies; `queries` (S, queries, 1) how
many tokens a query sees. `labels` and `head` are empty.
"""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.problems import Problems
from attnsvm.inspect import known
from attnsvm.inspect.models import Reading
from attnsvm.inspect.texts import sentences

ORDER_STREAM = 2250  # keeps the order of sentences apart from what else is drawn with a seed


def cells(settings):
    return [Cell(1, 1, 1, seeds(settings))]


def problems(cell, settings):
    every, longest = sentences(), max(settings["lengths"])
    orders = [np.random.default_rng([ORDER_STREAM, seed]).permutation(len(every)) for seed in cell.seeds]
    texts, found = [" ".join(every[k] for k in order) for order in orders], []
    places = [place for length in settings["lengths"] for place in range(length - settings["queries"], length)]
    (name,) = settings["models"]
    with known.ready(name) as (folder, _):
        reading = Reading(folder, texts, longest=longest)
        for number in reading.numbers:
            with reading.walk.layer(number):
                rows = [reading.walk.run(text)[1][:, places] for text in range(len(texts))]
            p = np.stack(rows)
            entropy = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(-1)
            found.append(np.concatenate([p.max(-1), entropy], -1))
    S = len(texts)
    seen = np.broadcast_to(np.array(places, dtype=float)[:, None] + 1.0, (S, len(places), 1))
    return Problems(np.stack(found, 1), seen, np.zeros((S, 1)), np.zeros((S, 1)), np.array(cell.seeds, dtype=np.int64))
