"""One instance in the plane."""

from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw_cell, gaussian


def cells(settings):
    return [Cell(n=settings["n"], T=settings["T"], d=2, seeds=(settings["seed"],))]


def problems(cell, settings):
    return draw_cell(gaussian, cell)
