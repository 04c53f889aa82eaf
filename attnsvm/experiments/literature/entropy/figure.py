"""How many tokens a fitted target leaves, how far the start is amplified, and how fast the logistic loss polarises."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, band, sheet, title

FLOWS = {"trained": (BLUE, "-"), "frozen": (ORANGE, "--")}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (model, start, quantity, at, value, low, high, instances)."""
    kept, spread, pace = figure.subplots(1, 3)
    starts = np.sort(table[table["model"] == "square"]["start"].unique())[::-1]
    looks = dict(zip(starts, ((BLUE, "-", "o"), (VERMILLION, "--", "s")), strict=False))
    for start, look in looks.items():
        own = where(table, model="square", start=start).sort_values("at")
        _line(kept, where(own, quantity="even"), look, f"V and a, start {start:g}")
        _line(spread, where(own, quantity="spread"), look)
        law = where(own, quantity="law")
        spread.plot(law["at"], law["value"], color=GREY, linestyle=":", linewidth=0.9)
    most = where(table, start=starts[0]).sort_values("at")
    layer = where(most, model="layer", quantity="even")
    _line(kept, layer, (ORANGE, "-.", "^"), f"W and v, start {starts[0]:g}")
    kept.set(xscale="log", ylim=(0, 1.03), ylabel="share of tokens in the softmax")
    kept.legend(loc="lower left")
    title(kept, "a", "square loss: no margin")
    spread.set(xscale="log", yscale="log", ylabel="standard deviation of the logits")
    spread.set_ylim(top=100.0)
    spread.text(0.05, 0.92, "dotted: cosh B, sinh B", transform=spread.transAxes, color=GREY)
    title(spread, "b", "the start, amplified")
    for name, (colour, line) in FLOWS.items():
        rows = where(most, model=f"margin, V {name}", quantity="others")
        band(pace, rows, "at", color=colour, linestyle=line, label=f"V {name}")
    pace.set(xscale="log", yscale="log", xlabel="time τ of the margin's flow", ylabel="1 − largest probability")
    pace.legend(loc="lower left")
    title(pace, "c", "logistic loss: 1/τ²")
    for axes in (kept, spread):
        sizes = sorted(table[table["model"] == "square"]["at"].unique())
        axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("size of the target, B")


def _line(axes, rows, look, label=None):
    colour, line, marker = look
    band(axes, rows, "at", color=colour, linestyle=line, marker=marker, label=label)
