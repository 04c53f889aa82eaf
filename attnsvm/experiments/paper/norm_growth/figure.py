"""Plain gradient descent: norm, gradient and correlation, without and with a finite stationary point."""

from attnsvm.analysis.medians import quartiles
from attnsvm.plots.panels import key, lines, look, panel
from attnsvm.plots.style import BLACK, GREEN, ORANGE, PURPLE, sheet

LOOKS = {
    "all_support": look(PURPLE, "-", label="none: all tokens support vectors"),
    "equal_scores": look(GREEN, "--", label="none: equal scores but the best"),
    "neither": look(ORANGE, "-.", label="none: neither, independent queries"),
    "contradicting": look(BLACK, ":", label="one: contradicting labels"),
}
PANELS = {
    "norm": ("weights", r"$\|W(k)\|_F$"),
    "gradient_norm": ("gradient", r"$\|\nabla L(W(k))\|_F$"),
    "correlation": ("direction", r"1 − correlation with $W_{\mathrm{mm}}$"),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (condition, step, norm, gradient_norm, correlation, seed)."""
    table, row = table.assign(correlation=1.0 - table["correlation"]), figure.subplots(1, 3, sharex=True)
    for axes, letter, (quantity, (name, label)) in zip(row, "abc", PANELS.items(), strict=True):
        rows = quartiles(table.groupby(["condition", "step"])[quantity])
        lines(axes, rows, "step", "condition", LOOKS, alpha=0.15)
        panel(axes, letter, name, "xy", xlabel="step", ylabel=label)
        axes.margins(x=0)
    figure.axes[0].yaxis.set_minor_formatter("{x:.0f}")
    figure.axes[1].set_ylim(bottom=1e-9)
    count = table[table["condition"] == "all_support"]["seed"].nunique()
    where = {"transform": figure.axes[2].transAxes, "ha": "left", "va": "bottom", "fontsize": "small"}
    figure.axes[2].text(0.04, 0.03, "contradicting labels:\nno separator, no $W_{\\mathrm{mm}}$", **where)
    key(figure, figure.axes[0], "finite stationary point", above=True, ncols=2)
    figure.supxlabel(f"line: median, band: quartiles over {count} instances", fontsize="small")
