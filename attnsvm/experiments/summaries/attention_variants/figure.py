"""Four panels: dropout, merged tokens, weights without a softmax, linear attention."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SERIES, VERMILLION, band, bars, sheet, title

PEAKS = {
    "attention": ("softmax attention", BLACK, "-"),
    "linear": ("linear attention", VERMILLION, "--"),
    "mixer": ("mixer", GREEN, "-."),
    "uniform": ("uniform", GREY, ":"),
}
MARGINS = (  # variant, quantity, what it says
    ("merged", "margin", "pairs merged"),
    ("merged unit", "margin", "merged, unit length"),
    ("half", "margin", "one of each pair"),
    ("merged", "margin_half", "pairs merged, over\none of each pair"),
)
LIMITS = (
    ("linear", "predictions", "linear: SVM of predictions", VERMILLION, "-"),
    ("linear", "distance", "linear: SVM of tokens", ORANGE, "--"),
    ("attention", "distance", "softmax: SVM of tokens", BLUE, "-"),
    ("attention", "predictions", "softmax: SVM of predictions", PURPLE, "--"),
)


@sheet(height=0.72)
def draw(figure, table):
    """Draw from rows (variant, quantity, step, value, low, high, instances)."""
    (drop, merged), (peak, linear) = figure.subplots(2, 2)
    _dropout(drop, table)
    _merged(merged, table)
    for variant, (label, colour, dashes) in PEAKS.items():
        _way(peak, _rows(table, variant, "peak"), label, colour, dashes)
    peak.set(xscale="log", xlabel="step", ylabel="part of the weight", ylim=(0, 1.03))
    peak.legend(loc="upper left", bbox_to_anchor=(0, 0.97))
    title(peak, "c", "the largest weight of an input")
    for variant, quantity, label, colour, dashes in LIMITS:
        _way(linear, _rows(table, variant, quantity), label, colour, dashes)
    linear.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation")
    linear.legend(loc="lower left")
    title(linear, "d", "which SVM linear attention goes to")


def _rows(table, variant: str, quantity: str):
    return table[(table["variant"] == variant) & (table["quantity"] == quantity)].sort_values("step")


def _way(axes, rows, label, colour, dashes) -> None:
    band(axes, rows, "step", alpha=0.15, color=colour, linestyle=dashes, label=label)


def _dropout(axes, table) -> None:
    _way(axes, _rows(table, "attention", "distance"), "no dropout", BLACK, "-")
    drops = [name for name in dict.fromkeys(table["variant"]) if name.startswith("dropout")]
    for colour, name in zip(SERIES * len(drops), drops, strict=False):
        same = _rows(table, name, "same")["value"].iloc[-1]
        _way(axes, _rows(table, name, "distance"), f"{name} ({same:.0%} same token)", colour, "--")
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation")
    count = int(table["instances"].max())
    axes.legend(loc="lower left", title=f"95 % intervals, {count} instances")
    title(axes, "a", "dropout: distance to its SVM")


def _merged(axes, table) -> None:
    names = []
    for k, (variant, quantity, label) in enumerate(MARGINS):
        row = _rows(table, variant, quantity).iloc[-1]
        colour = BLUE if quantity == "margin" else VERMILLION
        axes.errorbar([row["value"]], [k], xerr=bars(row), color=colour, fmt="o")
        same = _rows(table, variant, "same")["value"].iloc[-1]
        names.append(f"{label}\n({same:.0%} same pair)" if quantity == "margin" else label)
    axes.axvline(1, color=GREY, linewidth=0.6)
    axes.set_yticks(range(len(MARGINS)), names)
    axes.set(xlim=(0, 2), xlabel="ratio of the margins", ylim=(len(MARGINS) - 0.4, -0.6))
    axes.grid(visible=False, axis="y")
    title(axes, "b", "merged tokens: the margin")
