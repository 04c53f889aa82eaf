"""The separating line of each input, one panel per parametrisation."""

import numpy as np
from matplotlib.lines import Line2D

from attnsvm.plots import plane
from attnsvm.plots.style import GREY, NAME, sheet, title

REACH = 4.0  # how far trajectories are followed, as a multiple of the farthest token's distance
PANELS = (("W", "fro"), ("KQ", "nuc"))


@sheet(height=0.52)
def draw(figure, table):
    """Draw from rows (kind, parametrisation, input, token, step, x, y, angle)."""
    tokens = plane.of_kind(table, "token", "optimal_token")
    followed = plane.of_kind(table, "trajectory", "token", "optimal_token")
    radius = np.hypot(tokens["x"], tokens["y"]).max()
    bounds = plane.limits(followed[np.hypot(followed["x"], followed["y"]) <= REACH * radius], pad=0.08)
    for axes, letter, (name, norm) in zip(figure.subplots(1, 2), "ab", PANELS, strict=True):
        own = table[table["parametrisation"] == name]
        plane.frame(axes, bounds)
        plane.paths(axes, own)
        plane.separators(axes, own)
        plane.tokens(axes, tokens)
        plane.last_directions(axes, own, bounds)
        plane.equal_scales(axes, bounds)  # or the separators would not look perpendicular
        title(axes, letter, f"{NAME[name]} trained, {NAME[norm]}")
    figure.axes[1].set_ylabel("")
    line = Line2D([], [], color=GREY, linestyle=":", label="separating line")
    last = Line2D([], [], color=GREY, markersize=6, **plane.last_marker(), label="direction after the last step")
    plane.legend(figure, table, line, last)
