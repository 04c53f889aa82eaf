"""The instances of convergence types, where only the number of tokens varies."""

from attnsvm.data.cells import shapes
from attnsvm.errors import require
from attnsvm.experiments.convergence_types.problems import problems

__all__ = ["cells", "problems"]


def cells(settings):
    require(
        len({n for n, _ in settings["shapes"]}) == len(settings["d"]) == 1,
        "config: experiments.token_count.problems: only T may vary, give one n and one d",
    )
    return shapes(settings)
