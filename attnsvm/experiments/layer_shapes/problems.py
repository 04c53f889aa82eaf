"""Random instances over a grid of shapes."""

from attnsvm.cells import shapes
from attnsvm.draws import draw_cell, gaussian


def cells(settings):
    return shapes(settings)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
