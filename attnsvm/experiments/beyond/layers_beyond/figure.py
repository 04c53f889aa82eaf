"""Where the law of layers holds, and where it breaks: distances of every kind, and how far ‖W‖ goes."""

from attnsvm.analysis.rows import last, where
from attnsvm.plots.panels import across, key, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREY, MARKERS, SERIES, VERMILLION, sheet

LINES = {("corrected", 1): (BLUE, "s", "layer below"), ("corrected", 2): (BLACK, "o", "top")}
LINES |= {("all", 1): (VERMILLION, "X", "layer below, margin 1 in all rows")}


@sheet(height=0.6)
def draw(figure, table):
    """Draw from rows (kind, layer, quantity, step, value, low, high, largest, instances)."""
    kinds = list(dict.fromkeys(table["kind"]))
    left, right = figure.subplots(1, 2)
    ends = last(table)
    for (rule, layer), (colour, marker, words) in LINES.items():
        rows = where(ends, quantity=rule, layer=layer).set_index("kind")
        places = [kinds.index(kind) + 0.2 * (layer - 1) for kind in rows.index]
        across(left, places, rows.assign(low=rows["value"]), colour, end="largest", marker=marker, label=words)
    share = where(ends, quantity="share saturated").set_index("kind")["value"]
    rungs(left, [f"{kind} ({share[kind]:.0%})" for kind in kinds])
    panel(left, "a", "median to largest (saturated)", "x", xlabel="1 − correlation with the SVM")
    mixed = [kind for kind in kinds if share[kind] <= 0.5]
    looks = {kind: {"color": c, "marker": m, "zorder": 3} for kind, c, m in zip(mixed, SERIES, MARKERS, strict=False)}
    rest = {"color": GREY, "linewidth": 0.8}
    for kind in kinds:
        line = where(table, kind=kind, quantity="norm").sort_values("step")
        right.plot(line["step"], line["value"], **(looks[kind] | {"label": kind} if kind in looks else rest))
    right.plot([], [], label="the others", **rest)
    panel(right, "b", "how far the weights go", "xy", "upper left", xlabel="step", ylabel="‖W‖")
    key(figure, left, "(a)", above=True, ncols=3)
