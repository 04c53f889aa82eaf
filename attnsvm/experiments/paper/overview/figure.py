"""The paper in three pictures: attention separates, towards the max-margin solution, more often at the best tokens."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots import plane
from attnsvm.plots.panels import lines, look
from attnsvm.plots.shares import logarithmic
from attnsvm.plots.style import COLOUR, DASHES, MARKERS, NAME, SIZES, sheet

REACH = 1.6  # how far W z_i is followed, as a multiple of the farthest token's distance
# What the paper says, in our words; the audit has the verdicts.
CLAIMS = (
    "Attention separates a token\nfrom the other tokens,",
    "its weights go to the SVM\nsolution of their norm,",
    "and it finds the best tokens\nmore often as $d$ grows.",
)
LOOKS = {
    name: look(COLOUR[name], DASHES[name], label=f"{NAME[name]} to its {norm}\nSVM solution")
    for name, norm in (("W", "Frobenius"), ("KQ", "nuclear"))
}


@sheet(height=0.36)
def draw(figure, table):
    """Draw from the rows of three experiments, told apart by `experiment`."""
    rows = {name: group.dropna(axis=1, how="all") for name, group in table.groupby("experiment")}
    separates, converges, better = figure.subplots(1, 3)
    _separates(separates, rows["hyperplanes"])
    _converges(converges, rows["normalisation"])
    _better(better, rows["convergence_types"])
    for axes, claim in zip((separates, converges, better), CLAIMS, strict=True):
        axes.set_title(claim, loc="left", weight="bold", fontsize="medium")


def _separates(axes, rows) -> None:
    own = rows[(rows["parametrisation"] == "W") | rows["parametrisation"].isna()]
    tokens = plane.of_kind(own, "token", "optimal_token")
    bounds = plane.limits(tokens, pad=0.3)
    radius = np.hypot(tokens["x"], tokens["y"]).max()
    far = (own["kind"] == "trajectory") & (np.hypot(own["x"], own["y"]) > REACH * radius)
    plane.frame(axes, bounds)
    plane.paths(axes, own[~far])
    plane.separators(axes, own)
    plane.tokens(axes, tokens)
    plane.equal_scales(axes, bounds)


def _converges(axes, rows) -> None:
    lines(axes, where(rows, normalisation="exact", interval=QUARTILES), "step", "parametrisation", LOOKS)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation")
    axes.margins(x=0)
    axes.legend(loc="lower left")


def _better(axes, rows) -> None:
    shapes = rows[(rows["type"] == "global") & (rows["parametrisation"] == "W")].groupby(["n", "T"], sort=False)
    for ((n, T), line), colour, marker in zip(shapes, SIZES[::2], MARKERS, strict=False):
        line = line.sort_values("d")
        axes.plot(line["d"], line["value"], color=colour, marker=marker, label=f"$n = {n:.0f}$, $T = {T:.0f}$")
        axes.vlines(line["d"], line["low"], line["high"], color=colour, linewidth=0.8, alpha=0.7)
    axes.set(ylim=(-0.04, 1.04), xlabel="dimension $d$", ylabel="share of runs")
    logarithmic(axes, rows["d"])
    axes.legend(loc="lower right")
