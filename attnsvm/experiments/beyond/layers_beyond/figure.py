"""Where the law of layers holds, and where it breaks: distances of every kind, and how far ‖W‖ goes."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREY, MARKERS, SERIES, VERMILLION, sheet, title

LINES = {("corrected", 1): (BLUE, "s", "layer below"), ("corrected", 2): (BLACK, "o", "top")}
LINES |= {("all", 1): (VERMILLION, "X", "layer below, margin 1 in all rows")}


@sheet(height=0.6)
def draw(figure, table):
    """Draw from rows (kind, layer, quantity, step, value, low, high, largest, instances)."""
    kinds = list(dict.fromkeys(table["kind"]))
    left, right = figure.subplots(1, 2)
    ends = table[table["step"] == table["step"].max()]
    for (rule, layer), (colour, marker, words) in LINES.items():
        rows = ends[(ends["quantity"] == rule) & (ends["layer"] == layer)].set_index("kind")
        places = [kinds.index(kind) + 0.2 * (layer - 1) for kind in rows.index]
        left.hlines(places, rows["value"], rows["largest"], color=colour, linewidth=0.8)
        left.plot(rows["value"], places, marker, color=colour, label=words)
    share = ends[ends["quantity"] == "share saturated"].set_index("kind")["value"]
    left.set_yticks(np.arange(len(kinds)), [f"{kind} ({share[kind]:.0%})" for kind in kinds])
    left.set(xscale="log", xlabel="1 − correlation with the SVM", ylim=(len(kinds) - 0.5, -0.5))
    title(left, "a", "median to largest (saturated)")
    mixed = [kind for kind in kinds if share[kind] <= 0.5]
    looks = {kind: {"color": c, "marker": m, "zorder": 3} for kind, c, m in zip(mixed, SERIES, MARKERS, strict=False)}
    rest = {"color": GREY, "linewidth": 0.8}
    for kind in kinds:
        line = table[(table["kind"] == kind) & (table["quantity"] == "norm")].sort_values("step")
        right.plot(line["step"], line["value"], **(looks[kind] | {"label": kind} if kind in looks else rest))
    right.plot([], [], label="the others", **rest)
    right.set(xscale="log", yscale="log", xlabel="step", ylabel="‖W‖")
    right.legend(loc="upper left")
    title(right, "b", "how far the weights go")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, title="(a)")
