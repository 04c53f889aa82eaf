"""Four panels: dropout, merged tokens, weights without a softmax, linear attention."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import lines, look, panel, point
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SERIES, VERMILLION, band, sheet

PEAKS = {
    "attention": look(BLACK, "-", label="softmax attention"),
    "linear": look(VERMILLION, "--", label="linear attention"),
    "mixer": look(GREEN, "-.", label="mixer"),
    "uniform": look(GREY, ":", label="uniform"),
}
MARGINS = (  # variant, quantity, what it says
    ("merged", "margin", "pairs merged"),
    ("merged unit", "margin", "merged, unit length"),
    ("half", "margin", "one of each pair"),
    ("merged", "margin_half", "pairs merged, over\none of each pair"),
)
LIMITS = (
    ("linear", "predictions", look(VERMILLION, "-", label="linear: SVM of predictions")),
    ("linear", "distance", look(ORANGE, "--", label="linear: SVM of tokens")),
    ("attention", "distance", look(BLUE, "-", label="softmax: SVM of tokens")),
    ("attention", "predictions", look(PURPLE, "--", label="softmax: SVM of predictions")),
)


@sheet(height=0.72)
def draw(figure, table):
    """Draw from rows (variant, quantity, step, value, low, high, instances)."""
    (drop, merged), (peak, linear) = figure.subplots(2, 2)
    _dropout(drop, table)
    _merged(merged, table)
    lines(peak, where(table, quantity="peak"), "step", "variant", PEAKS, alpha=0.15)
    legend, words = {"loc": "upper left", "bbox_to_anchor": (0, 0.97)}, "the largest weight of an input"
    panel(peak, "c", words, "x", legend, xlabel="step", ylabel="part of the weight", ylim=(0, 1.03))
    for variant, quantity, own in LIMITS:
        band(linear, _rows(table, variant, quantity), "step", alpha=0.15, **own)
    words = "which SVM linear attention goes to"
    panel(linear, "d", words, "xy", "lower left", xlabel="step", ylabel="1 − correlation")


def _rows(table, variant: str, quantity: str):
    return where(table, variant=variant, quantity=quantity).sort_values("step")


def _dropout(axes, table) -> None:
    looks = {"attention": look(BLACK, "-", label="no dropout")}
    drops = [name for name in dict.fromkeys(table["variant"]) if name.startswith("dropout")]
    for colour, name in zip(SERIES * len(drops), drops, strict=False):
        same = _rows(table, name, "same")["value"].iloc[-1]
        looks[name] = look(colour, "--", label=f"{name} ({same:.0%} same token)")
    lines(axes, where(table, quantity="distance"), "step", "variant", looks, alpha=0.15)
    legend = {"loc": "lower left", "title": f"95 % intervals, {int(table['instances'].max())} instances"}
    panel(axes, "a", "dropout: distance to its SVM", "xy", legend, xlabel="step", ylabel="1 − correlation")


def _merged(axes, table) -> None:
    names = []
    for k, (variant, quantity, label) in enumerate(MARGINS):
        row = _rows(table, variant, quantity).iloc[-1]
        colour = BLUE if quantity == "margin" else VERMILLION
        point(axes, k, row, colour, "o", along=True)
        same = _rows(table, variant, "same")["value"].iloc[-1]
        names.append(f"{label}\n({same:.0%} same pair)" if quantity == "margin" else label)
    axes.axvline(1, color=GREY, linewidth=0.6)
    axes.set_yticks(range(len(MARGINS)), names)
    axes.grid(visible=False, axis="y")
    ends = {"xlim": (0, 2), "ylim": (len(MARGINS) - 0.4, -0.6)}
    panel(axes, "b", "merged tokens: the margin", xlabel="ratio of the margins", **ends)
