"""Random instances of one shape, small enough that every choice of tokens can be solved."""

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.system.errors import require

MOST_CHOICES = 4096


def cells(settings):
    require(
        settings["T"] ** settings["n"] <= MOST_CHOICES,
        f"config: experiments.cone.problems: T to the power of n exceeds {MOST_CHOICES}: every choice of tokens is "
        "solved, choose a smaller n or T",
    )
    return one_shape(settings)


def problems(cell, settings):
    return draw_cell(gaussian, cell)
