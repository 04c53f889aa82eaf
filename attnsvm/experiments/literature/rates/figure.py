"""Where descent ends from starts of several sizes, how fast W turns, and how fast the softmax saturates."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, lines, look, panel
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, sheet

LOOKS = {
    "plain": look(ORANGE, ":", label="plain steps"),
    "normalised": look(BLUE, "-", label="normalised steps"),
    "Polyak": look(VERMILLION, "--", label="Polyak steps"),
}
SCORES = {"equal": look(BLUE, "-", "o", "other scores equal"), "different": look(GREY, "-", "s", "scores as they come")}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (scores, run, quantity, at, value, low, high, instances)."""
    share, turning, depth = figure.subplots(1, 3)
    for scores, own in SCORES.items():
        rows = where(table, quantity="optimal", scores=scores).sort_values("at")
        share.vlines(rows["at"], rows["low"], rows["high"], color=own["color"])
        share.plot(rows["at"], rows["value"], linewidth=0.7, **own)
    ends = {"xlabel": "size of the start", "ylabel": "share ending on the optimal tokens"}
    panel(share, "a", "global convergence", "x", "lower left", ylim=(-0.03, 1.03), **ends)
    equal = where(table, scores="equal")
    for axes, quantity in ((turning, "distance"), (depth, "depth")):
        lines(axes, where(equal, quantity=quantity), "at", "run", LOOKS)
    rows = where(equal, run="normalised", quantity="distance").sort_values("at")
    steps = np.array([rows["at"].max() / 30, rows["at"].max()])
    guide = 2.5 * rows["value"].iloc[-1] * steps[-1] / steps
    turning.plot(steps, guide, color=GREY, linewidth=0.8)
    turning.text(steps[1], 0.5 * guide[0], "1/step", color=GREY, ha="right")
    far = "distance of the directions of W and SVM"
    panel(turning, "b", "how fast W turns", "xy", xlabel="step", ylabel=far)
    panel(depth, "c", "how fast softmax saturates", "xy", xlabel="step", ylabel="−log(1 − p), slowest input")
    count = int(table["instances"].max())
    words = f"(a) 95 % Wilson intervals; (b, c) medians with 95 % intervals; {count} instances"
    key(figure, turning, words, ncols=len(LOOKS))
