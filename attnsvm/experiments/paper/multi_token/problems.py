"""Random instances with a head matrix; a count of candidates for each d."""

from attnsvm.data.cells import one_shape
from attnsvm.data.draws import draw_cell, signs, unit


def cells(settings):
    tried = zip(settings["d"], settings["candidates"], strict=True)
    return [cell for d, count in tried for cell in one_shape(settings | {"d": d, "instances": count})]


def problems(cell, settings):
    return draw_cell(relu, cell)


def relu(streams, n: int, T: int, d: int):
    """Unit Gaussian tokens and queries, random labels, a head matrix of Frobenius norm one."""
    V = unit(streams.normal(d * d)).reshape(-1, d, d)
    tokens = unit(streams.normal(n, T, d))
    labels = signs(streams, n)
    queries = unit(streams.normal(n, d))
    return tokens, queries, labels, V
