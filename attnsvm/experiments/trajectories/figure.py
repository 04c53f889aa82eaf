"""Trajectories of W(k) z_i against the SVM directions, whole and enlarged around the tokens."""

from attnsvm.plots import plane
from attnsvm.plots.style import canvas, title


def draw(table, settings):
    """Draw from rows (kind, parametrisation, input, token, step, x, y)."""
    curves = plane.of_kind(table, "trajectory")
    whole = plane.limits(curves[curves["parametrisation"] == "W"], pad=0.1)  # (K, Q) goes farther, on its line
    near = plane.limits(plane.of_kind(table, "token", "optimal_token"), pad=0.2)
    with canvas(settings, height=0.5) as figure:
        left, right = figure.subplots(1, 2)
        for axes, bounds, size in ((left, whole, 2.0), (right, near, 4.5)):
            plane.frame(axes, bounds)
            plane.paths(axes, table)
            plane.tokens(axes, table, size)
        plane.equal_scales(right, near)
        title(left, "a", "trajectories")
        title(right, "b", "enlarged around the tokens")
        plane.legend(figure, table)
    return figure
