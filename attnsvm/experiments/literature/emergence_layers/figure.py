"""What the multipliers of a layer do to the time, and how far the layers leave the plane of two numbers."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, VERMILLION, band, sheet, title

LAYERS = {"below": (BLUE, "o"), "top": (VERMILLION, "s")}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, N, quantity, value, low, high, instances, interval)."""
    powers, shares = figure.subplots(1, 2)
    for layer, (colour, mark) in LAYERS.items():
        rows = where(table, run=f"{layer} halved", quantity="exponent")
        band(powers, rows, "N", color=colour, marker=mark, linestyle="-", label=layer)
        for run, line in (("random", "-"), ("averaged", "--")):
            rows = where(table, run=run, quantity=f"outside, {layer}")
            band(shares, rows, "N", color=colour, marker=mark, linestyle=line, label=f"{layer}, {run}")
    powers.axhline(0.5, color=GREY, linewidth=0.8, linestyle=":")
    powers.set(ylabel="exponent of the time in Σλ", ylim=(0, 1))
    shares.set(ylabel="share of growth outside", ylim=(0, 1))
    title(powers, "a", "multipliers of one layer")
    title(shares, "b", "outside the plane")
    for axes in (powers, shares):
        axes.set(xlabel="context length N", xticks=sorted(set(table["N"])))
        axes.legend()
