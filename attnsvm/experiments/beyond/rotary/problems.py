"""Random instances whose tokens are lifted by F frequencies of rotary attention, for several d and F.

The query stands behind the last token. A token at distance δ from it is (cos θ_1 δ, sin θ_1 δ, ..., 1) ⊗ x with
θ_f = BASE^(−f/F): its logit under a lifted W is that of attention whose keys and queries are turned by θ_f, with a free
matrix for each frequency. The head reads x.
"""

import numpy as np

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.data.problems import Problems

BASE = 100.0
FREQUENCIES = {"F0": 0, "F1": 1, "F2": 2, "F4": 4}  # by the name of a cell's variant


def cells(settings):
    own = seeds(settings)
    return [Cell(settings["n"], settings["T"], d, own, name) for d in settings["d"] for name in FREQUENCIES]


def width(cell):
    """Dimension of a token of the cell once it is lifted."""
    return (2 * FREQUENCIES[cell.variant] + 1) * cell.d


def problems(cell, settings):
    plain = draw_cell(gaussian, cell)
    F = FREQUENCIES[cell.variant]
    angle = np.outer(np.arange(cell.T, 0, -1), BASE ** (-np.arange(F) / max(F, 1)))
    features = np.column_stack([np.cos(angle), np.sin(angle), np.ones(cell.T)])
    lifted = (features[:, :, None] * plain.tokens[:, :, :, None, :]).reshape(*plain.tokens.shape[:3], width(cell))
    before = lifted.shape[-1] - cell.d
    # Queries and head are filled up with zeros: W stays square, and its further columns act on nothing.
    queries = np.pad(plain.queries, [(0, 0), (0, 0), (0, before)])
    return Problems(lifted, queries, plain.labels, np.pad(plain.head, [(0, 0), (before, 0)]), seeds=plain.seeds)
