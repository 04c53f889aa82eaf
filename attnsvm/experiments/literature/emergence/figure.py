"""The time to the induction circuit versus the length of the context."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.experiments.literature.emergence.law import law
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, VERMILLION, band, sheet

LOOKS = {"random": (BLUE, "o"), "averaged": (BLACK, "s"), "plane": (GREY, "^"), "below given": (ORANGE, "v")}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (run, N, quantity, value, low, high, instances, interval)."""
    axes, N = figure.subplots(), np.unique(table["N"]).astype(float)
    for run, (colour, mark) in LOOKS.items():
        band(axes, where(table, run=run, quantity="time"), "N", color=colour, marker=mark, linestyle="-", label=run)
    for run, words in (("random", "laws"), ("below given", None)):
        axes.plot(N, law(N, run), ":", color=VERMILLION, label=words, zorder=3)
    axes.set(xscale="log", yscale="log", xlabel="context length N", ylabel="time of gradient flow to the circuit")
    axes.set_xticks(N, [f"{one:.0f}" for one in N])
    axes.set_xticks([], minor=True)
    axes.legend()
