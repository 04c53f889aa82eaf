"""The same instances without positions (plain), with positions added, and with token lengths brought back (encoded)."""

import torch

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian, unit


def cells(settings):
    return one_shape(settings, tuple(VARIANTS))


def problems(cell, settings):
    return draw_cell(VARIANTS[cell.variant], cell)


def added(streams, n: int, T: int, d: int):
    """As `gaussian`, and to every token the sinusoidal encoding of its position is added, of length one too."""
    tokens, queries, labels, v = gaussian(streams, n, T, d)
    feature = torch.arange(d)
    angle = torch.arange(T)[:, None] / 10000.0 ** (2 * torch.div(feature, 2, rounding_mode="floor") / d)
    position = unit(torch.where(feature % 2 == 0, angle.sin(), angle.cos()).numpy())
    return tokens + position, queries, labels, v


def encoded(streams, n: int, T: int, d: int):
    """As `added`, and the tokens are brought back to length one."""
    tokens, queries, labels, v = added(streams, n, T, d)
    return unit(tokens), queries, labels, v


VARIANTS = {"plain": gaussian, "encoded": encoded, "added": added}
