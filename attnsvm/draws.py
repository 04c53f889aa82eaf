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


def equal_scores(generator, n: int, T: int, d: int):
    """As `gaussian`, and all tokens of an input but the best moved along v to one score: the lowest."""
    tokens, queries, labels, v = (x.double() for x in gaussian(generator, n, T, d))
    v /= torch.norm(v)
    score = (tokens @ v) * labels[:, None]
    lowest = score.amin(1, keepdim=True)
    best = torch.nn.functional.one_hot(score.argmax(1), T).bool()
    change = torch.where(best, 0.0, lowest - score) * labels[:, None]
    return tokens + change[..., None] * v, queries, labels, v


def contradicting(generator, n: int, T: int, d: int):
    """As `gaussian`, with the scores of an input moved along v to average zero, and each input given with both labels.

    No W can serve both labels, and a finite W serves them best. With an odd n the last input stays alone.
    """
    tokens, queries, labels, v = (x.double() for x in gaussian(generator, n, T, d))
    tokens -= (tokens @ v).mean(1)[:, None, None] * v / v.square().sum()
    tokens[1::2], queries[1::2], labels[1::2] = (x[0 : n - n % 2 : 2] for x in (tokens, queries, -labels))
    return tokens, queries, labels, v


def draw_cell(draw_one: Callable, cell: Cell) -> Problems:
    """`draw` for a cell of a grid."""
    return draw(draw_one, cell.seeds, cell.n, cell.T, cell.d)
