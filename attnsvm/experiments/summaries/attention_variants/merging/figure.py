"""Merged tokens: the margin over that on all tokens, and the pairs that stay selected."""

import numpy as np
from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import sample_interval
from attnsvm.plots.panels import panel, point
from attnsvm.plots.style import BLACK, GREY, PURPLE, VERMILLION, sheet

LOOKS = {
    "half": ("one of two", GREY, "o"),
    "merged unit": ("merged, length one", PURPLE, "s"),
    "merged": ("merged", VERMILLION, "D"),
}


@sheet(height=0.3)
def draw(figure, table):
    """Draw from rows (variant, seed, margin, same)."""
    margins, shares = figure.subplots(1, 2, sharey=True)
    for k, (variant, (_, colour, marker)) in enumerate(LOOKS.items()):
        rows = where(table, variant=variant)
        quartiles = rows["margin"].quantile([0.5, 0.25, 0.75])
        for axes, (at, start, end) in ((margins, quartiles), (shares, sample_interval(rows["same"]))):
            row = {"value": at, "low": start, "high": end}
            point(axes, k, row, colour, marker, along=True, markersize=5)
    margins.axvline(1, color=GREY, linewidth=0.6)
    one_of_two = where(table, variant="half")["margin"].median()
    shorter = {"color": GREY, "linewidth": 0.8, "linestyle": ":", "label": "one of two, over √2"}
    margins.axvline(one_of_two / np.sqrt(2), **shorter)
    margins.set_yticks(range(len(LOOKS)), [label for label, *_ in LOOKS.values()])
    words = {"xlabel": "margin, over that on all tokens", "ylabel": "tokens"}
    panel(margins, "a", "margin", ylim=(-0.6, len(LOOKS) - 0.4), **words)
    panel(shares, "b", "selection", xlabel="share of inputs that select the same pair")
    words = "median, quartiles (a); mean, 95 % interval (b)"
    mark = Line2D([], [], color=BLACK, marker="o", markersize=5, label=words)
    figure.legend(handles=[mark, *margins.get_legend_handles_labels()[0]], loc="outside upper center", ncols=2)
