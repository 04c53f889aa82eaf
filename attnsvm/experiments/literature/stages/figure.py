"""How both layers turn, how the losses fall, and what the layer says of sentences never seen."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, band, sheet, title

LAYERS = {
    ("first", "gaussian"): (ORANGE, "V, Gaussian"),
    ("second", "gaussian"): (VERMILLION, "W, Gaussian"),
    ("second", "orthonormal"): (BLUE, "W, orthonormal"),
}
KINDS = {
    "trained": "trained",
    "implied": "implied",
    "above": "best, unseen",
    "below": "unseen, worst",
    "open": "not implied",
}
ENDS = {
    ("normalised", "orthonormal"): (BLUE, "o", "orthonormal"),
    ("normalised", "gaussian"): (VERMILLION, "s", "Gaussian"),
    ("together", "orthonormal"): (GREY, "^", "orthonormal, at once"),
}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (words, stage, run, quantity, at, value, low, high, instances)."""
    turning, falling, right = figure.subplots(1, 3, width_ratios=(1, 1, 1.15))
    for (stage, words), (colour, label) in LAYERS.items():
        for run, line in (("normalised", "-"), ("plain", "--")):
            for axes, quantity in ((turning, "distance"), (falling, "depth")):
                rows = where(table, words=words, stage=stage, run=run, quantity=quantity).sort_values("at")
                rows = rows[(rows["at"] > 0) & (rows["value"] > 0)]
                named = label if run == "normalised" and axes is turning else None
                band(axes, rows, "at", color=colour, linestyle=line, label=named)
    steps = np.array([10.0, table["at"].max()])
    for dashes, label in (("-", "normalised steps"), ("--", "plain steps")):
        turning.plot([], [], color=GREY, linestyle=dashes, label=label)
    turning.plot(steps, 3.0 / steps, color=GREY, linestyle=":", label="1/t")
    turning.set(xscale="log", yscale="log", xlabel="update t", ylabel="distance of directions")
    title(turning, "a", "both turn like 1/t")
    falling.set(xscale="log", yscale="log", xlabel="update t", ylabel="−log of the loss")
    falling.set_ylim(bottom=0.1)
    title(falling, "b", "losses fall linearly")
    for shift, ((run, words), (colour, marker, label)) in zip((0.2, 0.0, -0.2), ENDS.items(), strict=True):
        rows = where(table, words=words, stage="second", run=run).set_index("quantity").loc[list(KINDS)]
        places = np.arange(len(KINDS))[::-1] + shift
        right.hlines(places, rows["low"], rows["high"], color=colour)
        right.plot(rows["value"], places, color=colour, marker=marker, linestyle="", label=label)
    right.set_yticks(np.arange(len(KINDS))[::-1], list(KINDS.values()))
    right.set(xlim=(0, 1.04), ylim=(-0.6, len(KINDS) + 1.0), xlabel="share of right next words")
    right.legend(loc="upper left")
    title(right, "c", "what follows is right")
    figure.legend(*turning.get_legend_handles_labels(), loc="outside lower center", ncols=3, title="(a, b)")
