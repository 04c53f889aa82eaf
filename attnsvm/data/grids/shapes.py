"""Random instances of several shapes and dimensions, as `gaussian` draws them."""

from attnsvm.data.cells import Cell, shapes
from attnsvm.data.grids.one_shape import problems as problems


def cells(settings: dict) -> list[Cell]:
    """One cell for each of the settings' shapes (n, T) and each of their d."""
    return shapes(settings)
