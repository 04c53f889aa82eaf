"""Where descent ends from starts of several sizes, how fast W turns, and how fast the softmax saturates."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, band, sheet, title

LOOKS = {"plain": (ORANGE, ":"), "normalised": (BLUE, "-"), "Polyak": (VERMILLION, "--")}
SCORES = {"equal": (BLUE, "o", "other scores equal"), "different": (GREY, "s", "scores as they come")}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (scores, run, quantity, at, value, low, high, instances)."""
    share, turning, depth = figure.subplots(1, 3)
    for scores, (colour, marker, name) in SCORES.items():
        rows = where(table, quantity="optimal", scores=scores).sort_values("at")
        share.vlines(rows["at"], rows["low"], rows["high"], color=colour)
        share.plot(rows["at"], rows["value"], color=colour, marker=marker, linewidth=0.7, label=name)
    share.set(xscale="log", ylim=(-0.03, 1.03), xlabel="size of the start", ylabel="share ending on the optimal tokens")
    share.legend(loc="lower left")
    title(share, "a", "global convergence")
    equal = where(table, scores="equal").sort_values("at")
    for run, look in LOOKS.items():
        for axes, quantity in ((turning, "distance"), (depth, "depth")):
            rows = where(equal, run=run, quantity=quantity)
            band(axes, rows, "at", color=look[0], linestyle=look[1], label=f"{run} steps")
    rows = where(equal, run="normalised", quantity="distance")
    steps = np.array([rows["at"].max() / 30, rows["at"].max()])
    guide = 2.5 * rows["value"].iloc[-1] * steps[-1] / steps
    turning.plot(steps, guide, color=GREY, linewidth=0.8)
    turning.text(steps[1], 0.5 * guide[0], "1/step", color=GREY, ha="right")
    turning.set(xscale="log", yscale="log", xlabel="step", ylabel="distance of the directions of W and SVM")
    title(turning, "b", "how fast W turns")
    depth.set(xscale="log", yscale="log", xlabel="step", ylabel="−log(1 − p), slowest input")
    title(depth, "c", "how fast softmax saturates")
    count = int(table["instances"].max())
    words = f"(a) 95 % Wilson intervals; (b, c) medians with 95 % intervals; {count} instances"
    figure.legend(*turning.get_legend_handles_labels(), loc="outside lower center", ncols=len(LOOKS), title=words)
