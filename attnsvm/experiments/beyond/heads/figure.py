"""Several heads: the SVM of each, norms in the ratio of the block SVM, and what that costs in margin."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.plots.panels import look, panel, ticks
from attnsvm.plots.style import DASHES, GREY, SERIES, VERMILLION, band, bars, sheet

SMALLEST = 1e-9  # of a logarithmic axis: one head has no ratios


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (normalisation, heads, quantity, step, value, low, high, instances, interval)."""
    joint, separate = (where(table, normalisation=how) for how in ("joint", "separate"))
    (a, b), (c, d) = figure.subplots(2, 2)
    counts = sorted(joint["heads"].unique())
    for colour, count in zip(SERIES, counts, strict=False):
        label = f"{count} head{'s' if count > 1 else ''}"
        _line(a, joint, count, "head", color=colour, label=label)
        if count > 1:
            _line(b, joint, count, "ratios", color=colour, label=label)
            _line(c, joint, count, "block", color=colour, label=label)
    control = separate["heads"].max()
    own = look(GREY, DASHES["KQ"], label=f"{control} heads,\neach its own norm")
    _line(b, separate, control, "ratios", **own)
    _line(c, separate, control, "block", **own)
    panels = (
        (a, "each head and the SVM of its tokens", "1 − correlation"),
        (b, r"$\|W_h\|\,/\,\|W_h^{\mathrm{mm}}\|$ across heads", "largest − smallest logarithm"),
        (c, "stacked heads and the block SVM", "1 − correlation"),
    )
    for letter, (axes, words, measured) in zip("abc", panels, strict=True):
        panel(axes, letter, words, "xy", "lower left", xlabel="step", ylabel=measured)
    _margins(d, joint)
    figure.supxlabel("a–c: medians with quartiles; d: means with 95 % intervals", fontsize="medium")


def _line(axes, table, heads, quantity, **own):
    rows = where(table, heads=heads, quantity=quantity, interval=QUARTILES).sort_values("step")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].clip(lower=SMALLEST)
    band(axes, rows, "step", **own)


def _margins(axes, joint):
    """What training reached, what the block SVM allows, and what heads as wide as one head would have."""
    end = where(joint, interval=MEAN)
    looks = {"best_margin": (SERIES[0], "s", "block SVM"), "margin": (VERMILLION, "o", "trained")}
    for quantity, (colour, marker, words) in looks.items():
        rows = where(end, quantity=quantity).sort_values("heads")
        own = look(colour, "none", marker, words, markersize=4)
        axes.errorbar(rows["heads"], rows["value"], bars(rows), **own)
    rows = where(end, quantity="best_margin").sort_values("heads")
    first, heads = rows.iloc[0], rows["heads"].to_numpy(dtype=float)
    alone = first["value"] * np.sqrt(first["heads"] / heads)
    axes.plot(heads, alone, color=GREY, linewidth=0.8, label=r"$\propto 1/\sqrt{H}$")
    words, measured = "smallest margin per unit of total norm", "margin / total norm"
    panel(axes, "d", words, "xy", "lower left", xlabel="heads, H", ylabel=measured)
    ticks(axes, heads, ".0f")
