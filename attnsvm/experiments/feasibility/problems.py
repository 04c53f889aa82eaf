"""Random instances of several shapes and dimensions."""

from attnsvm.data.cells import shapes
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return shapes(settings)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
