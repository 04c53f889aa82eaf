"""Instances of orthonormal tokens, as many as there are dimensions."""

import torch

from attnsvm.cells import one_shape
from attnsvm.draws import draw_cell, unit


def cells(settings):
    return one_shape(settings | {"T": settings["d"]})


def problems(cell, settings):
    return draw_cell(orthonormal, cell)


def orthonormal(generator, n: int, T: int, d: int):
    """Orthonormal tokens, T = d of them, and labels +1. Double precision from the SVD on."""
    v = torch.randn(d, generator=generator)
    v /= torch.norm(v)
    drawn = torch.randn((n, T, d), generator=generator)
    tokens = torch.linalg.svd(drawn.double()).U
    queries = unit(torch.randn((n, d), generator=generator))
    return tokens, queries, torch.ones(n), v
