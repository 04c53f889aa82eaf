"""Runs by their saturation: the distance from the generalised SVM falls with the unselected probability, at every d."""

import numpy as np

from attnsvm.plots.panels import growing, limit
from attnsvm.plots.style import sheet

BINS = 7  # per d: runs of similar probability, as many in each


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (d, seed, unselected_max, svmeq_norm, mm, one_token)."""
    axes = figure.subplots()
    for k, (d, runs) in enumerate(table.sort_values("unselected_max").groupby("d")):
        look = growing(k)
        axes.plot(runs["unselected_max"], runs["svmeq_norm"], **look, linestyle="none", markersize=2.5, alpha=0.4)
        parts = np.array_split(runs[["unselected_max", "svmeq_norm"]].to_numpy(), min(BINS, len(runs)))
        middle = np.array([np.median(part, axis=0) for part in parts])
        axes.plot(*middle.T, **look, label=f"$d = {d}$, {len(runs)} runs", markersize=4.5)
    limit(axes, 0.02, "limit: 0.02")
    axes.set(xscale="log", yscale="log", xlabel="largest softmax probability outside the selected sets")
    axes.set(ylabel=r"1 − correlation with $W_{\mathrm{fin}} + C\,W_{\mathrm{mm}}$")
    drawn = axes.get_legend_handles_labels()
    figure.legend(*drawn, loc="outside upper center", ncols=4, title="marks: runs; lines: medians")
