"""Trajectories of W(k) z_i against the SVM directions: whole, enlarged around the tokens, and by their angle."""

import numpy as np

from attnsvm.plots import plane
from attnsvm.plots.style import sheet, title

RADII = (1, 10, 100, 1000)


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (kind, parametrisation, input, token, step, x, y, angle)."""
    near = plane.limits(plane.of_kind(table, "token", "optimal_token"), pad=0.2)
    curves = plane.of_kind(table, "trajectory")
    reach = 1.15 * np.hypot(curves["x"], curves["y"]).max()
    whole, enlarged, angle = figure.subplots(1, 3)
    plane.rings(whole, [radius for radius in RADII if radius <= reach], reach)
    plane.paths(whole, table, plane.from_afar)
    plane.tokens(whole, table, 2.0, plane.from_afar)
    plane.frame(enlarged, near)
    plane.paths(enlarged, table)
    plane.tokens(enlarged, table)
    plane.equal_scales(enlarged, near)
    plane.angles(angle, table)
    title(whole, "a", "from afar")
    title(enlarged, "b", "around the tokens")
    title(angle, "c", "angle to the SVM direction")
    plane.legend(figure, table)
