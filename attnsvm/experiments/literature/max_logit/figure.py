"""The slope of the largest logit over the predicted one, and the errors of two predictions."""

from attnsvm.analysis.rows import where
from attnsvm.experiments.literature.max_logit.runs import RUNS
from attnsvm.plots.panels import across, key, limit, lines, look, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet

MARKS = "os^DvPX*"
COLOURS = (BLUE, ORANGE, BLACK, SKY, VERMILLION, PURPLE, GREY, BLACK)


@sheet(height=0.6)
def draw(figure, table):
    """Draw from rows (run, step, quantity, value, low, high, instances, interval, seed, beside)."""
    way, error, edge = figure.subplots(1, 3, width_ratios=(1.3, 1, 1.2))
    looks = {
        run: look(colour, ("-", "--", "-.", ":")[k % 4], mark, run, markersize=3.5)
        for k, (run, colour, mark) in enumerate(zip(RUNS, COLOURS, MARKS, strict=True))
    }
    lines(way, where(table, quantity="slope"), "step", "run", looks)
    for quantity, face, words in (("error", BLACK, "predicted"), ("constant", "white", "median slope")):
        rows = where(table, quantity=quantity).set_index("run").loc[[*RUNS]]
        across(error, range(len(RUNS)), rows, BLACK, marker="o", markerfacecolor=face, label=words)
    rungs(error, RUNS, room=-0.9)
    rows = where(table, quantity="edge")
    edge.plot(rows["beside"], rows["value"], "o", color=BLUE, markersize=2.5, alpha=0.6, linewidth=0)
    slope = "slope, measured over predicted"
    for axes in (way, edge):
        limit(axes, 1, "as predicted")
    limit(edge, 1, "edge", upright=True)
    panel(way, "a", "growth of the largest logit", "xy", xlabel="step", ylabel=slope)
    way.set_yticks((0.7, 1, 2, 4), ("0.7", "1", "2", "4"))
    way.minorticks_off()
    panel(error, "b", "two predictions", "x", "lower left", xlabel="relative error")
    panel(edge, "c", "normalised descent", "x", xlabel="η over its edge", ylabel=slope, ylim=(0.5, 1.1))
    key(figure, way, ncols=4)
