"""The margin ratio of both layers under every rule, and how it goes to one."""

import numpy as np

from attnsvm.experiments.beyond.geometries.figure import LOOKS, NAME
from attnsvm.plots.style import BLUE, GREY, VERMILLION, sheet, title

LAYERS = {1: ("layer below", BLUE, -0.17), 2: ("top", VERMILLION, 0.17)}
MARKS = {"own": ("o", True), "frobenius": ("o", False), "untrained": ("x", True)}
WORDS = {"own": "in the rule's norm", "frobenius": "in the Frobenius norm", "untrained": "untrained, rule's norm"}


@sheet(height=0.52)
def draw(figure, table):
    """Draw from rows (rule, layer, quantity, step, value, low, high, instances)."""
    order = list(table["rule"].unique())
    ends, below, top = figure.subplots(1, 3, width_ratios=(1.1, 1, 1))
    _ends(ends, table[table["step"] == table["step"].max()], order)
    for axes, layer, letter in ((below, 1, "b"), (top, 2, "c")):
        _way(axes, table[(table["layer"] == layer) & (table["quantity"] == "own")], order)
        title(axes, letter, LAYERS[layer][0])
    below.sharey(top)
    below.set_ylabel("1 − margin ratio in the rule's norm")
    below.legend(loc="lower left", title="rule (b, c)", labelspacing=0.25)
    figure.legend(*ends.get_legend_handles_labels(), loc="outside lower left", ncols=2, title="(a)")


def _ends(axes, rows, order) -> None:
    """The ratios after the last step, a line for each rule."""
    for layer, (name, colour, shift) in LAYERS.items():
        for quantity, (marker, filled) in MARKS.items():
            own = rows[(rows["layer"] == layer) & (rows["quantity"] == quantity)].set_index("rule").loc[order]
            y = np.arange(len(order)) + shift
            axes.hlines(y, own["low"], own["high"], color=colour, linewidth=0.9)
            face = colour if filled else "w"
            label = f"{name}, {WORDS[quantity]}"
            look = {"color": colour, "markerfacecolor": face, "markersize": 3.5, "linestyle": "none"}
            axes.plot(own["value"], y, marker, label=label, zorder=4 if quantity == "own" else 3, **look)
    axes.axvline(1.0, color=GREY, linewidth=0.6, linestyle=":")
    axes.set_yticks(range(len(order)), [NAME.get(rule, rule) for rule in order])
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel="margin ratio (best: 1)", ylabel="rule: steepest descent in")
    title(axes, "a", "after the last step")


def _way(axes, rows, order) -> None:
    for rule in order:
        own = rows[rows["rule"] == rule].sort_values("step")
        colour, dashes = LOOKS.get(rule, (GREY, "-"))
        axes.plot(own["step"], 1 - own["value"], color=colour, linestyle=dashes, label=NAME.get(rule, rule))
    axes.set(xscale="log", yscale="log", xlabel="step")
    axes.margins(x=0)
