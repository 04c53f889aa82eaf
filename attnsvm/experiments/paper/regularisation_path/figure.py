"""The least loss on growing balls: its direction against the SVM solution of the ball's norm."""

from attnsvm.analysis.medians import quartiles
from attnsvm.plots.style import COLOUR, DASHES, NAME, band, sheet, title

PANELS = {
    "correlation": "correlation with the SVM solution",
    "distance": "distance of the unit directions\nin the norm of the ball",
}
MARKERS = {"fro": "o", "nuc": "s"}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (norm, R, correlation, distance, loss, log_excess, gap, agreeing, seed)."""
    row = figure.subplots(1, 3, sharex=True)
    for axes, letter, (quantity, label) in zip(row, "abc", [*PANELS.items(), ("loss", "loss")], strict=True):
        for norm in ("fro", "nuc"):
            rows = quartiles(table[table["norm"] == norm].groupby("R")[quantity])
            look = {"color": COLOUR[norm], "linestyle": DASHES[norm], "marker": MARKERS[norm], "markersize": 3}
            band(axes, rows, "R", label=f"{NAME[norm].removesuffix(' norm')} ball", **look)
        axes.set(xscale="log", xlabel="radius $R$", ylabel=label)
        title(axes, letter, {"correlation": "correlation", "distance": "distance", "loss": "loss"}[quantity])
    row[1].set(yscale="log")
    row[0].set_ylim(top=1.04)
    note = figure.legend(*row[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    note.set_title(f"line: median, band: quartiles over {table['seed'].nunique()} instances")
