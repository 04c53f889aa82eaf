"""Plain gradient descent: norm, gradient and correlation, without and with a finite stationary point."""

from attnsvm.analysis.medians import quartiles
from attnsvm.plots.style import BLACK, GREEN, ORANGE, PURPLE, band, sheet, title

LOOKS = {
    "all_support": ("none: all tokens support vectors", {"color": PURPLE, "linestyle": "-"}),
    "equal_scores": ("none: equal scores but the best", {"color": GREEN, "linestyle": "--"}),
    "neither": ("none: neither, independent queries", {"color": ORANGE, "linestyle": "-."}),
    "contradicting": ("one: contradicting labels", {"color": BLACK, "linestyle": ":"}),
}
PANELS = {
    "norm": ("weights", r"$\|W(k)\|_F$"),
    "gradient_norm": ("gradient", r"$\|\nabla L(W(k))\|_F$"),
    "correlation": ("direction", r"1 − correlation with $W_{\mathrm{mm}}$"),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (condition, step, norm, gradient_norm, correlation, seed)."""
    for axes, letter, (quantity, (name, label)) in zip(
        figure.subplots(1, 3, sharex=True), "abc", PANELS.items(), strict=True
    ):
        for condition, (words, look) in LOOKS.items():
            rows = table[table["condition"] == condition]
            values = 1.0 - rows[quantity] if quantity == "correlation" else rows[quantity]
            band(axes, quartiles(values.groupby(rows["step"])), "step", alpha=0.15, label=words, **look)
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel=label)
        axes.margins(x=0)
        title(axes, letter, name)
    figure.axes[0].yaxis.set_minor_formatter("{x:.0f}")
    figure.axes[1].set_ylim(bottom=1e-9)
    count = table[table["condition"] == "all_support"]["seed"].nunique()
    where = {"transform": figure.axes[2].transAxes, "ha": "left", "va": "bottom", "fontsize": "small"}
    figure.axes[2].text(0.04, 0.03, "contradicting labels:\nno separator, no $W_{\\mathrm{mm}}$", **where)
    note = figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    note.set_title("finite stationary point")
    figure.supxlabel(f"line: median, band: quartiles over {count} instances", fontsize="small")
