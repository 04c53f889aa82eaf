"""One instance in the plane: two inputs, their clouds of tokens left and right of the origin."""

import torch

from attnsvm.cells import Cell
from attnsvm.draws import draw_cell, unit


def cells(settings):
    return [Cell(n=2, T=settings["T"], d=2, seeds=(settings["seed"],))]


def problems(cell, settings):
    return draw_cell(two_clouds, cell)


def two_clouds(generator, n: int, T: int, d: int):
    """Tokens of the first input around (−1, 0), of the second around (1, 0); labels +1 (n = d = 2)."""
    v = torch.randn(d, generator=generator)
    v /= torch.norm(v)
    tokens = 0.3 * torch.randn((n, T, d), generator=generator)
    tokens[0] += torch.tensor([-1.0, 0.0])
    tokens[1] += torch.tensor([1.0, 0.0])
    queries = unit(torch.randn((n, d), generator=generator))
    return tokens, queries, torch.ones(n), v
