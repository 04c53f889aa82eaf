"""v trained with W: which SVM W goes to depends on how fast v grows, and one law covers all rates."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILLION, band, sheet, title

TARGETS = {
    "even": ("1 of all", {"color": BLUE, "linestyle": (0, (3.2, 1.4)), "marker": "s"}),
    "only": ("1 of $v$'s support, others free", {"color": GREEN, "linestyle": "-.", "marker": "^"}),
    "relaxed": ("1 of $v$'s support, others 0", {"color": ORANGE, "linestyle": (0, (1, 1)), "marker": "D"}),
    "graded": ("1 of $v$'s support, others graded", {"color": VERMILLION, "linestyle": "-", "marker": "o"}),
}

HIGHEST = 2.2  # of the margins drawn; how many lie above is written


@sheet(height=0.45)
def draw(figure, table):
    """Draw from rows (rate, quantity, value, low, high, instances, interval, seed, asked)."""
    a, b, shades, c = figure.subplots(1, 4, width_ratios=(1, 1, 0.05, 1))
    for quantity, (label, look) in TARGETS.items():
        _line(a, table, quantity, label, **look)
    title(a, "a", "$W$ and its SVM")
    _points(b, shades, table[table["quantity"] == "margin"])
    title(b, "b", "margins of other inputs")
    _line(c, table, "v", "tokens selected", color=VERMILLION, marker="o")
    _line(c, table, "v_other", "other tokens", color=GREY, marker="x", linestyle=(0, (3.2, 1.4)))
    title(c, "c", "$v$ and its SVM")
    for axes in (a, c):
        axes.set(xscale="log", yscale="log", xlabel="length of $v$'s steps", ylabel="1 − correlation")
    c.legend(loc="upper right", bbox_to_anchor=(1.0, 0.93))
    words = "(a) what W's SVM asks of inputs; (a, c) medians with quartiles"
    figure.legend(*a.get_legend_handles_labels(), loc="outside lower center", ncols=4, title=words)


def _line(axes, table, quantity, label, **look):
    rows = where(table, quantity=quantity, interval=QUARTILES).sort_values("rate")
    band(axes, rows, "rate", label=label, markersize=3, **look)


def _points(axes, bar, rows):
    """Measured against asked margins, a point per input, the rate as a shade."""
    shades = np.log10(rows["rate"].to_numpy(dtype=float))
    drawn = axes.scatter(rows["asked"], rows["value"], c=shades, cmap="viridis", s=5, linewidths=0, alpha=0.8)
    axes.plot([0, 1], [0, 1], color=BLACK, linewidth=0.6)
    beyond = int((rows["value"] > HIGHEST).sum())
    if beyond:
        axes.text(0.02, 0.98, f"{beyond} of {len(rows)} points above", transform=axes.transAxes, va="top")
    axes.set(ylim=(-0.1, HIGHEST), xlabel="graded margin asked", ylabel="margin of $W$, over\nthat of $v$'s support")
    axes.figure.colorbar(drawn, cax=bar, label=r"$\log_{10}$ length of $v$'s steps")
