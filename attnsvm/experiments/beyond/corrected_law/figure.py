"""The corrected law beside its first form, and what rows keep."""

from attnsvm.experiments.beyond.layers.figure import TWO, against_norm, rows_in_time, tails
from attnsvm.plots.style import BLUE, GREY, sheet


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (architecture, layer, quantity, step, value, ..., first_quartile, third_quartile, largest)."""
    left, right = figure.subplots(1, 2)
    tails(left, table)
    rows_in_time(right, table)
    then = against_norm(table, layer=0, quantity="quarter")
    left.plot(then["norm"], then["largest"], "o", color=BLUE)
    norm = table[(table["architecture"] == TWO) & (table["quantity"] == "norm")].set_index("step")["value"]
    for step in (*then["step"], norm.index.max()):
        left.axvline(norm[step], color=GREY, linewidth=0.6, linestyle=":")
        words = {"rotation": 90, "ha": "right", "va": "top", "fontsize": "x-small"}
        left.text(norm[step], 0.98, f"{step:,} steps", transform=left.get_xaxis_transform(), **words)
