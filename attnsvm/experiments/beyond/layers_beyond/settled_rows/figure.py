"""Every instance: its distance from the corrected problems against the change of what its rows go to."""

import numpy as np

from attnsvm.plots.panels import least, limit, panel
from attnsvm.plots.style import BLUE, GREEN, VERMILLION, sheet

LOOKS = (("o", BLUE), ("D", VERMILLION), ("^", GREEN))
LEAST = 1e-6  # what changes by less stands here


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (kind, seed, step, norm, value, change, all)."""
    steps = sorted(table["step"].unique())
    panels = figure.subplots(1, len(steps), sharex=True, sharey=True)
    for axes, step, letter in zip(panels, steps, "ab", strict=True):
        now = table[table["step"] == step]
        for (marker, colour), (kind, rows) in zip(LOOKS, now.groupby("kind", sort=False), strict=False):
            look = {"color": colour, "marker": marker, "markersize": 3.5, "alpha": 0.7, "linestyle": "none"}
            axes.plot(np.maximum(rows["change"], LEAST), rows["value"], label=kind, **look)
        limit(axes, 0.01, "far: above 0.01")
        limit(axes, 0.05, "settled: up to 0.05", upright=True)
        words = f"{step} steps, ‖W‖ = {now['norm'].median():.0f}"
        panel(axes, letter, words, "xy", xlabel="change of what a row goes to")
    least(panels[0].xaxis, LEAST)
    panels[0].set(ylabel="1 − correlation, farther layer", ylim=(None, 0.03))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
