"""Random instances of one shape: every number of heads is trained on the same instances."""

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return one_shape(settings)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
