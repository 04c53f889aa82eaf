"""The length at half weight versus the norm of W: measured, and three predictions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, lines, look
from attnsvm.plots.style import BLACK, BLUE, GREY, VERMILLION, sheet

LOOKS = {
    "measured": look(BLACK, "-", "o", "measured on new tokens"),
    "tail": look(BLUE, "--", "s", "tail: from the margins over new tokens"),
    "margins": look(VERMILLION, ":", "^", "margins: from the weight in training"),
    "guarantee": look(GREY, "-.", "v", "guarantee: from the smallest margin in training"),
}


@sheet(height=0.45)
def draw(figure, table):
    """Draw from rows (quantity, step, value, low, high, instances, interval)."""
    axes, norm = figure.subplots(), where(table, quantity="norm").set_index("step")["value"]
    lines(axes, table.assign(norm=table["step"].map(norm)), "norm", "quantity", LOOKS)
    axes.set(xscale="log", yscale="log", xlabel="norm of W", ylim=(1, 1e6))
    axes.set_ylabel("length at half weight, up to $10^6$")
    words = f"medians over {int(table['instances'].max())} instances; bands: 95 % intervals"
    key(figure, axes, words, ncols=2)
