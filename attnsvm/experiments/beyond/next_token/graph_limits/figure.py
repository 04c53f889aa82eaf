"""Next tokens: the squared loss against two Graph-SVMs, and the slow data sets of (K, Q)."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREEN, VERMILLION, sheet, title

SQUARED = {"fro": ("margin 1 on every edge", BLUE), "graded": ("margins by rates", GREEN)}


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (graphs, run, solution, quantity, seed, step, value, ...), those of single data sets."""
    squared, factored = figure.subplots(1, 2)
    runs = table[table["seed"].notna()]
    cyclic = where(runs, graphs="cyclic")
    for solution, (label, colour) in SQUARED.items():
        _ways(squared, where(cyclic, run="squared", solution=solution), colour, label)
    title(squared, "a", "$W$, squared loss, with a cycle")
    _ways(factored, where(runs, run="factored", solution="nuc"), VERMILLION, "median")
    title(factored, "b", r"$(K, Q)$, $-\log u$, both kinds")
    for axes in (squared, factored):
        axes.set(xscale="log", yscale="log", xlabel="step")
        axes.legend(loc="lower left")
    squared.set(ylabel="1 − correlation")


def _ways(axes, rows, colour, label) -> None:
    wide = rows.pivot(index="step", columns=["graphs", "seed"], values="value")
    axes.plot(wide, color=colour, linewidth=0.5, alpha=0.4)
    median = wide.median(axis=1)
    axes.plot(median, color=BLACK, linewidth=2.2)
    axes.plot(median, color=colour, linewidth=1.4, label=label)
