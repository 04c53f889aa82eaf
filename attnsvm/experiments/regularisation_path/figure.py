"""The least loss on growing balls: its direction against the SVM solution of the ball's norm."""

from attnsvm.plots.style import COLOUR, DASHES, NAME, sheet, title

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
            groups = table[table["norm"] == norm].groupby("R")[quantity]
            low, middle, high = (groups.quantile(q) for q in (0.25, 0.5, 0.75))
            look = {"color": COLOUR[norm]}
            axes.fill_between(middle.index, low, high, alpha=0.18, linewidth=0, **look)
            label_of = f"{NAME[norm].removesuffix(' norm')} ball"
            axes.plot(
                middle.index,
                middle,
                linestyle=DASHES[norm],
                marker=MARKERS[norm],
                markersize=3,
                label=label_of,
                **look,
            )
        axes.set(xscale="log", xlabel="radius $R$", ylabel=label)
        title(axes, letter, {"correlation": "correlation", "distance": "distance", "loss": "loss"}[quantity])
    row[1].set(yscale="log")
    row[0].set_ylim(top=1.04)
    note = figure.legend(*row[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    note.set_title(f"line: median, band: quartiles over {table['seed'].nunique()} instances")
