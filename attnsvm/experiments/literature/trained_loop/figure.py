"""The margin that a trained looped model lacks versus the depth: by what it attends with, and by what it reads out."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, VERMILLION, band, sheet

LOOKS = {
    "trained, attended": (BLUE, "-", "o"),
    "trained, read out": (VERMILLION, "--", "s"),
    "untrained, attended": (GREY, ":", "^"),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, depth, quantity, value, low, high, instances, interval)."""
    axes = figure.subplots()
    for run, (colour, line, mark) in LOOKS.items():
        band(axes, where(table, run=run), "depth", color=colour, linestyle=line, marker=mark, label=run)
    axes.set(xscale="log", yscale="log", xlabel="number of loops", ylabel="share of the best margin lacking")
    axes.legend()
