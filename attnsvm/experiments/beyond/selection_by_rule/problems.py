"""Random instances with inputs held out: with labels that nothing tells, and with queries that tell the label.

random  the draw of local convergence: nothing in an input says its label. A rule can know that the optimal token of a
        new input is one of the two extreme ones along v, but not which one: it is right half the time at best
told    the query is a unit vector plus label·u, scaled to length one; u is a unit vector of the instance

An instance is drawn with n + `held_out` inputs; the first n are trained on.
"""

from dataclasses import replace

from attnsvm.data.cells import Cell, one_shape
from attnsvm.data.draws import draw, gaussian, unit
from attnsvm.data.problems import Problems


def cells(settings):
    return [cell for d in settings["d"] for cell in one_shape(settings | {"d": d}, tuple(DRAWS))]


def problems(cell, settings):
    return _inputs(_drawn(cell, cell.seeds, settings["held_out"]), slice(cell.n))


def new_inputs(cell: Cell, seeds, held_out: int) -> Problems:
    """The inputs that the instances of a cell with these seeds were not trained on; same head."""
    return _inputs(_drawn(cell, seeds, held_out), slice(cell.n, None))


def told(streams, n: int, T: int, d: int):
    """As `gaussian`, and label·u is added to every query before it is scaled to length one."""
    tokens, queries, labels, v = gaussian(streams, n, T, d)
    u = unit(streams.normal(d))
    return tokens, unit(queries + labels.astype(queries.dtype)[..., None] * u[:, None]), labels, v


def _drawn(cell, seeds, held_out) -> Problems:
    return draw(DRAWS[cell.variant], seeds, cell.n + held_out, cell.T, cell.d)


def _inputs(problems: Problems, kept: slice) -> Problems:
    """Some inputs of every instance."""
    return replace(
        problems, tokens=problems.tokens[:, kept], queries=problems.queries[:, kept], labels=problems.labels[:, kept]
    )


DRAWS = {"random": gaussian, "told": told}
