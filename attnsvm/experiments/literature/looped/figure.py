"""The margin that a looped layer lacks, against the law of its depth, and the edge at which the law ends."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREY, band, bars, sheet, title


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, along, quantity, value, low, high, instances, interval)."""
    rate, edge = figure.subplots(1, 2)
    for quantity, colour, line, name in (("lacking", BLUE, "-", "measured"), ("predicted", BLACK, ":", "predicted")):
        band(rate, where(table, quantity=quantity), "along", color=colour, linestyle=line, label=name)
    rate.set(xscale="log", yscale="log", xlabel="depth L", ylabel="share of the best margin lacking")
    rate.legend()
    rows = where(table, run="edge")
    edge.errorbar(rows["along"], rows["value"], bars(rows), fmt="o", color=BLUE)
    edge.axvline(1, color=GREY, linewidth=0.6, linestyle="--")
    edge.set(yscale="log", xlabel="η over the edge 2/λmax", ylabel="lacking, over the prediction")
    title(rate, "a", "depth")
    title(edge, "b", "where the law ends")
