"""The length at half weight versus the norm of W: measured, and three predictions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import lines, look
from attnsvm.plots.style import BLACK, BLUE, GREY, VERMILLION, sheet

LOOKS = {
    "measured": look(BLACK, "-", "o", "measured"),
    "tail": look(BLUE, "--", "s", "tail"),
    "margins": look(VERMILLION, ":", "^", "margins"),
    "guarantee": look(GREY, "-.", "v", "guarantee"),
}


@sheet(height=0.45)
def draw(figure, table):
    """Draw from rows (quantity, step, value, low, high, instances, interval)."""
    axes, norm = figure.subplots(), where(table, quantity="norm").set_index("step")["value"]
    lines(axes, table.assign(norm=table["step"].map(norm)), "norm", "quantity", LOOKS)
    axes.set(xscale="log", yscale="log", xlabel="norm of W", ylabel="length at half weight", ylim=(1, 1e6))
    axes.legend()
