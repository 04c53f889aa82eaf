"""The least loss on growing balls: its direction against the SVM solution of the ball's norm."""

from attnsvm.analysis.medians import quartiles
from attnsvm.plots.panels import key, lines, look, panel
from attnsvm.plots.style import COLOUR, DASHES, NAME, sheet

PANELS = {
    "correlation": "correlation with the SVM solution",
    "distance": "distance of the unit directions\nin the norm of the ball",
    "loss": "loss",
}
LOOKS = {
    norm: look(COLOUR[norm], DASHES[norm], marker, f"{NAME[norm].removesuffix(' norm')} ball")
    for norm, marker in (("fro", "o"), ("nuc", "s"))
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (norm, R, correlation, distance, loss, log_excess, gap, agreeing, seed)."""
    row = figure.subplots(1, 3, sharex=True)
    for axes, letter, (quantity, label) in zip(row, "abc", PANELS.items(), strict=True):
        rows = quartiles(table.groupby(["norm", "R"])[quantity])
        lines(axes, rows, "R", "norm", LOOKS, markersize=3)
        panel(axes, letter, quantity, "x", xlabel="radius $R$", ylabel=label)
    row[1].set(yscale="log")
    row[0].set_ylim(top=1.04)
    words = f"line: median, band: quartiles over {table['seed'].nunique()} instances"
    key(figure, row[0], words, above=True, ncols=2)
