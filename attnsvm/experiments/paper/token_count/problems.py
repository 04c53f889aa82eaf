"""The instances of convergence types, where only the number of tokens varies."""

from attnsvm.data.cells import shapes
from attnsvm.data.grids.shapes import problems as problems
from attnsvm.system.errors import require


def cells(settings):
    require(
        len({n for n, _ in settings["shapes"]}) == len(settings["d"]) == 1,
        "config: experiments.token_count.problems: only T may vary, give one n and one d",
    )
    return shapes(settings)
