"""Random instances with a head matrix; a count of candidates for each d."""

import torch

from attnsvm.cells import one_shape
from attnsvm.draws import draw_cell, unit


def cells(settings):
    tried = zip(settings["d"], settings["candidates"], strict=True)
    return [cell for d, count in tried for cell in one_shape(settings | {"d": d, "instances": count})]


def problems(cell, settings):
    return draw_cell(relu, cell)


def relu(generator, n: int, T: int, d: int):
    """Unit Gaussian tokens and queries, random labels, a head matrix of Frobenius norm one."""
    V = torch.randn((d, d), generator=generator)
    V /= torch.norm(V)
    tokens = unit(torch.randn((n, T, d), generator=generator))
    labels = 2.0 * (torch.randn(n, generator=generator) > 0) - 1.0
    queries = unit(torch.randn((n, d), generator=generator))
    return tokens, queries, labels, V
