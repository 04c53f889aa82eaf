"""Random token-selection problems.

The draws follow the order of the official notebooks (github.com/umich-sota/TF-as-SVM): the numbers of a CPU
`torch.Generator` seeded per instance, float32 draws, then float64. Same seed, same bits, whatever the batch.
"""

from collections.abc import Callable, Iterable

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.data.streams import Streams, length

PIECE = 1024  # instances drawn at once: each holds a generator of 2.5 kB


def draw(draw_some: Callable, seeds: Iterable[int], n: int, T: int, d: int) -> Problems:
    """Draw one instance per seed.

    `draw_some(streams, n, T, d)` returns (tokens, queries, labels, head) of all instances of `streams`.
    """
    seeds = np.fromiter(seeds, dtype=np.int64)
    pieces = [seeds[start : start + PIECE] for start in range(0, max(len(seeds), 1), PIECE)]
    drawn = [draw_some(Streams(piece), n, T, d) for piece in pieces]
    whole = (np.concatenate(column).astype(np.float64, order="C") for column in zip(*drawn, strict=True))
    tokens, queries, labels, head = whole
    return Problems(tokens, queries, labels, head, seeds=seeds)


def unit(x: np.ndarray) -> np.ndarray:
    """Divided by the Euclidean norm along the last axis, float32."""
    return x / length(x)


def signs(streams: Streams, count: int) -> np.ndarray:
    """+1 and −1, (S, count), as likely."""
    return 2.0 * (streams.normal(count) > 0) - 1.0


def gaussian(streams: Streams, n: int, T: int, d: int):
    """Unit Gaussian tokens, queries and head vector, random labels (local convergence, SVM rank)."""
    v = unit(streams.normal(d))
    labels = signs(streams, n)
    tokens = unit(streams.normal(n, T, d))
    queries = unit(streams.normal(n, d))
    return tokens, queries, labels, v


def draw_cell(draw_some: Callable, cell: Cell) -> Problems:
    """`draw` for a cell of a grid."""
    return draw(draw_some, cell.seeds, cell.n, cell.T, cell.d)
