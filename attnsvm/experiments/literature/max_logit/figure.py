"""The slope of the largest logit over the predicted one, and the errors of two predictions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, band, bars, sheet, title

COLOURS = (BLUE, ORANGE, BLACK, GREEN, SKY, PURPLE, VERMILLION, GREY)
LOOKS = (("error", "o", True, "predicted"), ("constant", "s", False, "median slope"))


@sheet(height=0.6)
def draw(figure, table):
    """Draw from rows (run, step, quantity, value, low, high, instances, interval)."""
    way, error = figure.subplots(1, 2)
    for k, (run, colour) in enumerate(zip(table["run"].unique(), COLOURS, strict=True)):
        rows = where(table, run=run, quantity="slope")
        look = {"color": colour, "linestyle": ("-", "--", "-.", ":")[k % 4], "marker": "o", "markersize": 2.5}
        band(way, rows, "step", label=run, **look)
        for quantity, mark, filled, _ in LOOKS:
            rows, face = where(table, run=run, quantity=quantity), colour if filled else "white"
            error.errorbar(rows["value"], [k], xerr=bars(rows), fmt=mark, color=colour, markerfacecolor=face)
    for _, mark, filled, words in LOOKS:
        error.plot([], [], mark, color=GREY, markerfacecolor=GREY if filled else "white", label=words)
    way.axhline(1, color=GREY, linewidth=0.6)
    way.set(xscale="log", xlabel="step", ylabel="slope, measured over predicted", ylim=(0.5, 1.6))
    error.set(xscale="log", xlabel="relative error", yticks=[], ylim=(k + 0.6, -0.6))
    error.legend()
    title(way, "a", "growth of the largest logit")
    title(error, "b", "two predictions")
    figure.legend(*way.get_legend_handles_labels(), loc="outside lower center", ncols=4)
