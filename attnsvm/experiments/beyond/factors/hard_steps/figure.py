"""The published rule beside hard steps along training, and what is left of three conditions far out."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import panel
from attnsvm.plots.style import BLUE, GREEN, GREY, VERMILLION, sheet

LINES = {"from hard": (GREEN, "-", "hard steps"), "from nuclear": (VERMILLION, "--", "nuclear solution")}
CONDITIONS = {"spiral": (GREEN, "o"), "still": (BLUE, "s"), "nuclear": (VERMILLION, "^")}
WORDS = {"spiral": "spiral", "still": "the same,\nno turning", "nuclear": "nuclear\nsolution"}
RULES = ("two norms", "one norm")


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (by, quantity, seed, step, value)."""
    way, far = figure.subplots(1, 2)
    for quantity, (colour, line, words) in LINES.items():
        wide = where(table, by="published", quantity=quantity).pivot(index="step", columns="seed", values="value")
        way.fill_between(wide.index, wide.min(axis=1), wide.max(axis=1), color=colour, alpha=0.15, linewidth=0)
        way.plot(wide.index, wide.median(axis=1), color=colour, linestyle=line, label=words)
    legend, words = {"title": "distance of the published rule from"}, "updates since hard steps began"
    panel(way, "a", "median, smallest to largest", "xy", legend, xlabel=words, ylabel="1 − correlation")
    for x, rule in enumerate(RULES):
        for k, (quantity, (colour, marker)) in enumerate(CONDITIONS.items()):
            values = far_out(table, rule, quantity)
            place = 4 * x + k
            spread = np.linspace(-0.25, 0.25, len(values))
            look = {"color": colour, "marker": marker, "markersize": 2, "alpha": 0.5, "linestyle": "none"}
            far.plot(place + spread, values, **look)
            far.plot([place - 0.35, place + 0.35], [np.median(values)] * 2, color=colour)
    far.set_xticks([4 * x + k for x in range(2) for k in range(3)], [*WORDS.values()] * 2, fontsize="x-small")
    for x, rule in enumerate(RULES):
        far.text(4 * x + 1, 0.97, rule, ha="center", va="top", transform=far.get_xaxis_transform())
    far.axvline(3, color=GREY, linewidth=0.6)
    words = {"xlabel": "condition on the limit", "ylabel": "left of the condition, relative"}
    panel(far, "b", "hard steps far out", "y", **words)
    far.set_ylim(top=far.get_ylim()[1] * 3)


def far_out(table, rule, quantity):
    return np.sort(where(table, by=rule, quantity=quantity)["value"])
