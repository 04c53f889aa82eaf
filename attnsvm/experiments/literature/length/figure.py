"""The length at half weight versus the norm of W: measured, and three predictions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREY, VERMILLION, band, sheet

LOOKS = {
    "measured": (BLACK, "-", "o"),
    "tail": (BLUE, "--", "s"),
    "margins": (VERMILLION, ":", "^"),
    "guarantee": (GREY, "-.", "v"),
}


@sheet(height=0.45)
def draw(figure, table):
    """Draw from rows (quantity, step, value, low, high, instances, interval)."""
    axes, norms = figure.subplots(), where(table, quantity="norm")["value"].to_numpy()
    for name, (colour, line, mark) in LOOKS.items():
        rows = where(table, quantity=name).assign(norm=norms)
        band(axes, rows, "norm", color=colour, linestyle=line, marker=mark, label=name)
    axes.set(xscale="log", yscale="log", xlabel="norm of W", ylabel="length at half weight", ylim=(1, 1e6))
    axes.legend()
