"""Panels of convergence types: shares with their intervals, one line a type."""

from attnsvm.plots.panels import ticks
from attnsvm.plots.style import BLACK, GREEN, GREY, ORANGE, PURPLE, SKY

# Where lines lie on top of one another, the thinner is drawn last.
LOOKS = {
    "local": ("local (with global)", {"color": SKY, "linestyle": "-", "marker": "o", "linewidth": 1.8}),
    "global": ("global", {"color": GREEN, "linestyle": "--", "marker": "s"}),
    "all_support": ("all tokens support vectors", {"color": PURPLE, "linestyle": "-.", "marker": "^"}),
    "not_local": ("not local", {"color": BLACK, "linestyle": ":", "marker": "x"}),
    "not_saturated": ("not saturated", {"color": ORANGE, "linestyle": (0, (1, 1)), "marker": "v"}),
}
SPREAD = "bars: 95 % Wilson interval"


def shares(axes, rows, x: str) -> None:
    """Draw rows (type, value, low, high and the column `x`) of one parametrisation and shape."""
    for kind, (label, look) in LOOKS.items():
        line = rows[rows["type"] == kind].sort_values(x)
        axes.plot(line[x], line["value"], label=label, markersize=3, **look)
        axes.vlines(line[x], line["low"], line["high"], color=look["color"], linewidth=0.8, alpha=0.7)
    axes.set(ylim=(-0.04, 1.04))


def logarithmic(axes, values) -> None:
    """A base-2 axis with the powers of two among its range written out."""
    axes.set_xscale("log", base=2)
    powers = [2**k for k in range(1, 12) if min(values) <= 2**k <= max(values)]
    ticks(axes, powers)


def legend(figure, axes, count: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    note = figure.legend(handles, labels, loc="outside upper center", ncols=5)
    note.set_title(f"{SPREAD} over {count} instances")
    note.get_title().set_color(GREY)
