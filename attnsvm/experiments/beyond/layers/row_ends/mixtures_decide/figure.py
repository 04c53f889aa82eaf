"""Every instance: its distance from either problem, and whether a row keeps a mixture."""

from attnsvm.plots.panels import limit
from attnsvm.plots.style import BLUE, GREY, VERMILLION, sheet

KINDS = {False: (BLUE, "o", "no mixture"), True: (VERMILLION, "D", "a row keeps a mixture")}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (seed, stated, corrected, mixed)."""
    axes = figure.subplots()
    for mixed, (colour, marker, words) in KINDS.items():
        rows = table[table["mixed"] == mixed]
        look = {"color": colour, "marker": marker, "markersize": 4, "alpha": 0.7, "linestyle": "none"}
        axes.plot(rows["corrected"], rows["stated"], label=f"{words}: {len(rows)} instances", **look)
    ends = table[["stated", "corrected"]].to_numpy()
    axes.plot([ends.min(), ends.max()], [ends.min(), ends.max()], color=GREY, linewidth=0.6)
    axes.text(ends.max(), ends.max(), "as far from both  ", color=GREY, ha="right")
    limit(axes, 1e-3, "a plateau: above 0.001")
    axes.set(xscale="log", yscale="log", xlabel="1 − correlation, problem that keeps mixtures")
    axes.set(ylabel="1 − correlation,\nproblem of one token per row")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
