"""Random instances of one shape: the data of local convergence, from the published seeds on."""

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return one_shape(settings)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
