"""The margin ratio of both layers under every rule, and how it goes to one."""

import numpy as np

from attnsvm.analysis.rows import last, where
from attnsvm.experiments.beyond.geometries.figure import NAME, looks
from attnsvm.plots.panels import across, missing, panel, rungs
from attnsvm.plots.style import BLUE, GREY, VERMILLION, sheet

LAYERS = {1: ("layer below", BLUE, -0.17), 2: ("top", VERMILLION, 0.17)}
MARKS = {"own": ("o", True), "frobenius": ("o", False), "untrained": ("x", True)}
WORDS = {"own": "in the rule's norm", "frobenius": "in the Frobenius norm", "untrained": "untrained, rule's norm"}


@sheet(height=0.52)
def draw(figure, table):
    """Draw from rows (rule, layer, quantity, step, value, low, high, instances)."""
    order = list(table["rule"].unique())
    ends, *ways = figure.subplots(1, 3, width_ratios=(1.1, 1, 1))
    _ends(ends, last(table), order)
    for axes, layer, letter in zip(ways, (1, 2), "bc", strict=True):
        rows = missing(where(table, layer=layer, quantity="own"))
        for rule, own in looks(order).items():
            line = where(rows, rule=rule).sort_values("step")
            axes.plot(line["step"], line["value"], **own)
        axes.margins(x=0)
        panel(axes, letter, LAYERS[layer][0], "xy", xlabel="step")
    below, top = ways
    below.sharey(top)
    below.set_ylabel("1 − margin ratio in the rule's norm")
    below.legend(loc="lower left", title="rule (b, c)", labelspacing=0.25)
    figure.legend(*ends.get_legend_handles_labels(), loc="outside lower left", ncols=2, title="(a)")


def _ends(axes, rows, order) -> None:
    """The ratios after the last step, a line for each rule."""
    for layer, (name, colour, shift) in LAYERS.items():
        for quantity, (marker, filled) in MARKS.items():
            own = where(rows, layer=layer, quantity=quantity).set_index("rule").loc[order]
            marks = {"marker": marker, "markersize": 3.5, "markerfacecolor": colour if filled else "w"}
            marks |= {"label": f"{name}, {WORDS[quantity]}", "zorder": 4 if quantity == "own" else 3}
            across(axes, np.arange(len(order)) + shift, own, colour, bar=0.9, **marks)
    axes.axvline(1.0, color=GREY, linewidth=0.6, linestyle=":")
    rungs(axes, [NAME.get(rule, rule) for rule in order])
    words = {"xlabel": "margin ratio (best: 1)", "ylabel": "rule: steepest descent in"}
    panel(axes, "a", "after the last step", **words)
