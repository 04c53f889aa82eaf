"""Where descent ends, versus the dimension: globally, locally, or neither; for W and for (K, Q)."""

from attnsvm.plots.shares import legend, logarithmic, shares
from attnsvm.plots.style import NAME, canvas, title


def draw(table, settings):
    """Draw from rows (n, T, d, parametrisation, type, value, low, high, instances, interval)."""
    shapes = list(table.groupby(["n", "T"], sort=False))
    with canvas(settings, height=0.16 + 0.27 * len(shapes)) as figure:
        panels = figure.subplots(len(shapes), 2, sharex=True, sharey=True, squeeze=False)
        letters = iter("abcdefgh")
        for row, ((n, T), group) in zip(panels, shapes, strict=True):
            for axes, parametrisation in zip(row, ("W", "KQ"), strict=True):
                shares(axes, group[group["parametrisation"] == parametrisation], "d")
                title(axes, next(letters), f"{NAME[parametrisation]} trained, $n = {n}$, $T = {T}$")
            row[0].set(ylabel="share of runs")
        for axes in panels[-1]:
            axes.set(xlabel="dimension $d$")
        logarithmic(panels[0, 0], table["d"])
        legend(figure, panels[0, 0], table["instances"].max())
    return figure
