"""Random instances of one shape, as `gaussian` draws them."""

from attnsvm.data.cells import Cell, one_shape
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.data.problems import Problems


def cells(settings: dict) -> list[Cell]:
    """One cell of the settings' n, T, d."""
    return one_shape(settings)


def problems(cell: Cell, settings: dict) -> Problems:
    """Unit Gaussian tokens, queries and head, random labels."""
    return draw_cell(gaussian, cell)
