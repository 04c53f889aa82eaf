"""How far W ends from the graded solution: the share of instances within any distance, at every rate."""

import numpy as np

from attnsvm.plots.panels import limit
from attnsvm.plots.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, sheet

COLOURS = (BLUE, SKY, GREEN, ORANGE, VERMILLION, PURPLE)


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (rate, step, seed, graded, relaxed, even, shuffled, saturated)."""
    axes = figure.subplots()
    last = table["step"].max()
    for k, (rate, rows) in enumerate(table.groupby("rate")):
        for step, own in rows.groupby("step"):
            values = np.sort(own["graded"])
            look = {"linestyle": "-" if step == last else ":", "color": COLOURS[k % len(COLOURS)]}
            label = f"{rate:g}, {len(values)} instances" if step == last else None
            axes.step(values, np.arange(1, len(values) + 1) / len(values), where="post", label=label, **look)
    limit(axes, 2e-3, "limit: 0.002", upright=True)
    axes.set(xscale="log", xlabel="1 − correlation with the graded solution", ylabel="share of instances")
    axes.legend(title="length of $v$'s steps", loc="lower right")
