"""Rules with weight decay: the radius at which they end, and how their margin goes to the best as it vanishes."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, lines, look, missing, panel
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet

LOOKS = {
    "l1": look(GREEN, (0, (1, 1)), "o", r"$\ell_1$"),
    "fro": look(BLUE, "-", "s", "Frobenius"),
    "linf": look(ORANGE, "-.", "^", "max (signs)"),
    "spectral": look(BLACK, "-", "D", "spectral"),
    "nuc": look(VERMILLION, "--", "v", "nuclear"),
    "fro, smaller steps": look(PURPLE, (0, (1, 1)), "P", "Frobenius, half the steps' length"),
    "linf, coupled": look(GREY, ":", "x", r"max, $\lambda W$ in the gradient"),
    "AdamW": look(SKY, (0, (4, 1.5)), "*", "AdamW"),
}
PANELS = {
    "radius": ("radius 1/λ", "norm of W, times λ"),
    "gap": ("a KKT point", "conditions unmet"),
    "ratio": ("the SVM", "1 − margin ratio, own norm"),
}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (run, decay, quantity, value, low, high, instances)."""
    row = figure.subplots(1, 3)
    for axes, letter, (quantity, (words, measured)) in zip(row, "abc", PANELS.items(), strict=True):
        rows = where(table, quantity=quantity)
        rows = missing(rows) if quantity == "ratio" else rows
        lines(axes, rows, "decay", "run", LOOKS, alpha=0.15, markersize=3)
        panel(axes, letter, words, log="xy", xlabel="weight decay λ", ylabel=measured)
        axes.invert_xaxis()
    row[0].axhline(1, color=GREY, linewidth=0.6)
    count = int(table["instances"].max())
    key(figure, row[0], f"medians over {count} instances; bands: their 95 % intervals", ncols=4)
