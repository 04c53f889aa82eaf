"""n varies at the first T, T varies at the first n."""

from attnsvm.data.cells import grid, seeds
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    n, T, d, own = settings["n"], settings["T"], settings["d"], seeds(settings)
    return grid(n, T[:1], d, own) + grid(n[:1], T[1:], d, own)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
