"""Random instances: unit Gaussian tokens and queries, random labels; one cell per dimension."""

from attnsvm.data.cells import grid, seeds
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return grid([settings["n"]], [settings["T"]], settings["d"], seeds(settings))


def problems(cell, settings):
    return draw_cell(gaussian, cell)
