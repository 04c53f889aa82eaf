"""Merged tokens: the margin over that on all tokens, and the pairs that stay selected."""

import numpy as np
from matplotlib.lines import Line2D

from attnsvm.plots.style import BLACK, GREY, PURPLE, VERMILLION, sheet, title

LOOKS = {
    "half": ("one of two", GREY, "o"),
    "merged unit": ("merged, length one", PURPLE, "s"),
    "merged": ("merged", VERMILLION, "D"),
}
SIGMAS = 1.96  # of a 95 % interval


@sheet(height=0.3)
def draw(figure, table):
    """Draw from rows (variant, seed, margin, same)."""
    margins, shares = figure.subplots(1, 2, sharey=True)
    for k, (variant, (_, colour, marker)) in enumerate(LOOKS.items()):
        rows = table[table["variant"] == variant]
        low, middle, high = rows["margin"].quantile([0.25, 0.5, 0.75])
        mean, half = rows["same"].mean(), SIGMAS * rows["same"].sem()
        for axes, (at, start, end) in ((margins, (middle, low, high)), (shares, (mean, mean - half, mean + half))):
            axes.errorbar([at], [k], xerr=[[at - start], [end - at]], color=colour, fmt=marker, markersize=5)
    margins.axvline(1, color=GREY, linewidth=0.6)
    one_of_two = table[table["variant"] == "half"]["margin"].median()
    shorter = {"color": GREY, "linewidth": 0.8, "linestyle": ":", "label": "one of two, over √2"}
    margins.axvline(one_of_two / np.sqrt(2), **shorter)
    margins.set(yticks=range(len(LOOKS)), yticklabels=[label for label, *_ in LOOKS.values()])
    margins.set(xlabel="margin, over that on all tokens", ylabel="tokens", ylim=(-0.6, len(LOOKS) - 0.4))
    shares.set(xlabel="share of inputs that select the same pair")
    title(margins, "a", "margin")
    title(shares, "b", "selection")
    marks = [
        Line2D([], [], color=BLACK, marker="o", markersize=5, label="median, quartiles (a); mean, 95 % interval (b)")
    ]
    figure.legend(handles=[*marks, *margins.get_legend_handles_labels()[0]], loc="outside upper center", ncols=2)
