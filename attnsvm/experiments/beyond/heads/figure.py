"""Several heads: the SVM of each, norms in the ratio of the block SVM, and what that costs in margin."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.plots.style import DASHES, GREY, SERIES, VERMILLION, band, bars, sheet, title

SMALLEST = 1e-9  # of a logarithmic axis: one head has no ratios


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (normalisation, heads, quantity, step, value, low, high, instances, interval)."""
    joint, separate = (table[table["normalisation"] == how] for how in ("joint", "separate"))
    (a, b), (c, d) = figure.subplots(2, 2)
    counts = sorted(joint["heads"].unique())
    for colour, count in zip(SERIES, counts, strict=False):
        label = f"{count} head{'s' if count > 1 else ''}"
        _line(a, joint, count, "head", color=colour, label=label)
        if count > 1:
            _line(b, joint, count, "ratios", color=colour, label=label)
            _line(c, joint, count, "block", color=colour, label=label)
    control = separate["heads"].max()
    look = {"color": GREY, "linestyle": DASHES["KQ"], "label": f"{control} heads,\neach its own norm"}
    _line(b, separate, control, "ratios", **look)
    _line(c, separate, control, "block", **look)
    title(a, "a", "each head and the SVM of its tokens")
    a.set(ylabel="1 − correlation")
    title(b, "b", r"$\|W_h\|\,/\,\|W_h^{\mathrm{mm}}\|$ across heads")
    b.set(ylabel="largest − smallest logarithm")
    title(c, "c", "stacked heads and the block SVM")
    c.set(ylabel="1 − correlation")
    for axes in (a, b, c):
        axes.set(xscale="log", yscale="log", xlabel="step")
        axes.legend(loc="lower left")
    _margins(d, joint)
    title(d, "d", "smallest margin per unit of total norm")
    figure.supxlabel("a–c: medians with quartiles; d: means with 95 % intervals", fontsize="medium")


def _line(axes, table, heads, quantity, color, **look):
    rows = where(table, heads=heads, quantity=quantity, interval=QUARTILES).sort_values("step")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].clip(lower=SMALLEST)
    band(axes, rows, "step", color=color, **look)


def _margins(axes, joint):
    """What training reached, what the block SVM allows, and what heads as wide as one head would have."""
    end = where(joint, interval=MEAN)
    looks = {
        "best_margin": {"color": SERIES[0], "marker": "s", "label": "block SVM"},
        "margin": {"color": VERMILLION, "marker": "o", "label": "trained"},
    }
    for quantity, look in looks.items():
        rows = end[end["quantity"] == quantity].sort_values("heads")
        axes.errorbar(rows["heads"], rows["value"], bars(rows), linestyle="none", markersize=4, **look)
    rows = end[end["quantity"] == "best_margin"].sort_values("heads")
    first = rows.iloc[0]
    heads = rows["heads"].to_numpy(dtype=float)
    axes.plot(
        heads,
        first["value"] * np.sqrt(first["heads"] / heads),
        color=GREY,
        linewidth=0.8,
        label=r"$\propto 1/\sqrt{H}$",
    )
    axes.set(xscale="log", yscale="log", xlabel="heads, H", ylabel="margin / total norm")
    axes.set_xticks(heads, [f"{h:.0f}" for h in heads])
    axes.minorticks_off()
    axes.legend(loc="lower left")
