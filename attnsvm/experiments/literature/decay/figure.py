"""Rules with weight decay: the radius at which they end, and how their margin goes to the best as it vanishes."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

LOOKS = {
    "l1": (GREEN, (0, (1, 1)), "o", r"$\ell_1$"),
    "fro": (BLUE, "-", "s", "Frobenius"),
    "linf": (ORANGE, "-.", "^", "max (signs)"),
    "spectral": (BLACK, "-", "D", "spectral"),
    "nuc": (VERMILLION, "--", "v", "nuclear"),
    "fro, smaller steps": (PURPLE, (0, (1, 1)), "P", "Frobenius, half the steps' length"),
    "linf, coupled": (GREY, ":", "x", r"max, $\lambda W$ in the gradient"),
    "AdamW": (SKY, (0, (4, 1.5)), "*", "AdamW"),
}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (run, decay, quantity, value, low, high, instances)."""
    radius, gap, ratio = figure.subplots(1, 3)
    for axes, quantity in ((radius, "radius"), (gap, "gap"), (ratio, "ratio")):
        for run, (colour, line, marker, name) in LOOKS.items():
            rows = table[(table["run"] == run) & (table["quantity"] == quantity)].sort_values("decay")
            values = rows[["value", "low", "high"]] if quantity != "ratio" else 1 - rows[["value", "high", "low"]]
            middle, low, high = values.to_numpy().T
            axes.fill_between(rows["decay"], low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(rows["decay"], middle, color=colour, linestyle=line, marker=marker, markersize=3, label=name)
        axes.set(xscale="log", yscale="log", xlabel="weight decay λ")
        axes.invert_xaxis()
    radius.axhline(1, color=GREY, linewidth=0.6)
    radius.set(ylabel="norm of W, times λ")
    gap.set(ylabel="conditions unmet")
    ratio.set(ylabel="1 − margin ratio, own norm")
    for axes, letter, words in zip((radius, gap, ratio), "abc", ("radius 1/λ", "a KKT point", "the SVM"), strict=True):
        title(axes, letter, words)
    count = int(table["instances"].max())
    words = f"medians over {count} instances; bands: their 95 % intervals"
    figure.legend(*radius.get_legend_handles_labels(), loc="outside lower center", ncols=4, title=words)
