"""Rules with weight decay: the radius at which they end, and how their margin goes to the best as it vanishes."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, limit, lines, look, missing, panel, ticks
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
BESIDE = {run: 1.1 ** (3.5 - k) for k, run in enumerate(LOOKS)}
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
        if quantity == "radius":  # side by side, where all but one are the same
            rows = rows.assign(decay=rows["decay"] * rows["run"].map(BESIDE))
        lines(axes, rows, "decay", "run", LOOKS, alpha=0.15, markersize=3)
        panel(axes, letter, words, log="xy", xlabel="weight decay λ, falling", ylabel=measured)
        ticks(axes, sorted(set(table["decay"])))
        axes.invert_xaxis()
    limit(row[0], 1, "at the radius")
    row[0].set_ylim(top=2)
    count = int(table["instances"].max())
    key(figure, row[0], f"medians over {count} instances; bands: their 95 % intervals", ncols=4)
