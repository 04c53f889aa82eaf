"""Random token-selection problems.

The draws follow the order of the official notebooks (github.com/umich-sota/TF-as-SVM): a CPU `torch.Generator` seeded
per instance, float32 draws, then float64. Same seed, same bits, whatever the batch.
"""

from collections.abc import Callable, Iterable

import numpy as np
import torch

from attnsvm.cells import Cell
from attnsvm.problems import Problems


def draw(draw_one: Callable, seeds: Iterable[int], n: int, T: int, d: int) -> Problems:
    """Draw one instance per seed and stack them.

    `draw_one(generator, n, T, d)` returns float32 tensors (tokens, queries, labels, head).
    """
    seeds = np.fromiter(seeds, dtype=np.int64)
    generator = torch.Generator()
    rows = []
    for seed in seeds.tolist():
        generator.manual_seed(seed)
        rows.append(draw_one(generator, n, T, d))
    if not rows:
        generator.manual_seed(0)
        shapes = [x.shape for x in draw_one(generator, n, T, d)]
        return Problems(*(np.empty((0, *shape)) for shape in shapes), seeds=seeds)
    columns = (torch.stack(column).double().numpy() for column in zip(*rows, strict=True))
    return Problems(*columns, seeds=seeds)


def unit(x):
    """Divide by the Euclidean norm along the last axis, in place."""
    return x.div_(torch.norm(x, dim=-1, keepdim=True))


def gaussian(generator, n: int, T: int, d: int):
    """Unit Gaussian tokens, queries and head vector, random labels (local convergence, SVM rank)."""
    v = torch.randn(d, generator=generator)
    v /= torch.norm(v)
    labels = 2.0 * (torch.randn(n, generator=generator) > 0) - 1.0
    tokens = unit(torch.randn((n, T, d), generator=generator))
    queries = unit(torch.randn((n, d), generator=generator))
    return tokens, queries, labels, v


def draw_cell(draw_one: Callable, cell: Cell) -> Problems:
    """`draw` for a cell of a grid."""
    return draw(draw_one, cell.seeds, cell.n, cell.T, cell.d)
