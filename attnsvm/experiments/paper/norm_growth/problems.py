"""Instances that meet a condition under which W diverges, and instances under which it cannot: one variant each.

all_support    every token is a support vector of the optimal tokens' solution, and
equal_scores   in every input, all tokens but the best have one score: no finite stationary point, says the theory
neither        separable, and neither condition holds: the theory promises nothing
contradicting  every input comes with both labels: nothing separates the optimal tokens

Which of the drawn instances meet their condition, the measures say.
"""

import numpy as np
import torch

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return one_shape(settings, tuple(CONDITIONS), count="candidates")


def problems(cell, settings):
    return draw_cell(CONDITIONS[cell.variant], cell)


def equal_scores(streams, n: int, T: int, d: int):
    """As `gaussian`, and all tokens of an input but the best moved along v to one score: the lowest."""

    def change(tokens, queries, labels, v):
        v /= torch.norm(v)
        score = (tokens @ v) * labels[:, None]
        lowest = score.amin(1, keepdim=True)
        best = torch.nn.functional.one_hot(score.argmax(1), T).bool()
        along = torch.where(best, 0.0, lowest - score) * labels[:, None]
        tokens += along[..., None] * v

    return _changed(gaussian(streams, n, T, d), change)


def contradicting(streams, n: int, T: int, d: int):
    """As `gaussian`, with the scores of an input moved along v to average zero, and each input given with both labels.

    No W can serve both labels, and a finite W serves them best. With an odd n the last input stays alone.
    """

    def change(tokens, queries, labels, v):
        tokens -= (tokens @ v).mean(1)[:, None, None] * v / v.square().sum()
        tokens[1::2], queries[1::2], labels[1::2] = (x[0 : n - n % 2 : 2] for x in (tokens, queries, -labels))

    return _changed(gaussian(streams, n, T, d), change)


def _changed(drawn, change):
    """The instances drawn, each changed in place, in double precision; by PyTorch: NumPy's sums round otherwise."""
    columns = tuple(column.astype(np.float64) for column in drawn)
    for row in zip(*columns, strict=True):
        change(*map(torch.from_numpy, row))
    return columns


CONDITIONS = {
    "all_support": gaussian,
    "equal_scores": equal_scores,
    "neither": gaussian,
    "contradicting": contradicting,
}
