"""The slope of the largest logit over the predicted one, and the errors of two predictions."""

from attnsvm.analysis.rows import where
from attnsvm.experiments.literature.max_logit.runs import RUNS
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, band, bars, sheet, title

COLOURS = (BLUE, ORANGE, BLACK, GREEN, SKY, PURPLE, VERMILLION, GREY)
LOOKS = (("error", "o", True, "predicted"), ("constant", "s", False, "median slope"))


@sheet(height=0.6)
def draw(figure, table):
    """Draw from rows (run, step, quantity, value, low, high, instances, interval, seed, beside)."""
    way, error, edge = figure.subplots(1, 3)
    for k, (run, colour) in enumerate(zip(RUNS, COLOURS, strict=True)):
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
    rows = where(table, quantity="edge")
    edge.plot(rows["beside"], rows["value"], "o", color=BLUE, markersize=2.5, alpha=0.6, linewidth=0)
    edge.axvline(1, color=GREY, linewidth=0.6, linestyle=":")
    edge.axhline(1, color=GREY, linewidth=0.6)
    edge.set(xscale="log", xlabel="η over its edge", ylabel="slope, measured over predicted", ylim=(0.5, 1.1))
    title(edge, "c", "normalised descent")
    title(way, "a", "growth of the largest logit")
    title(error, "b", "two predictions")
    figure.legend(*way.get_legend_handles_labels(), loc="outside lower center", ncols=4)
