"""Plain descent beside other paths; and how much of the best margin each rule reaches, with each kind of margins."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, PURPLE, VERMILLION, sheet, title

PATHS = {"normalised": (BLUE, "o"), "a norm per layer": (VERMILLION, "D")}
RULES = {
    "top": (BLACK, "o", "top"),
    "graded": (BLUE, "s", "layer below, graded margins"),
    "margin 0": (VERMILLION, "D", "other rows at margin 0"),
    "free": (GREEN, "^", "other rows free"),
    "frobenius": (PURPLE, "x", "graded, Frobenius norm"),
}


@sheet(height=0.52)
def draw(figure, table):
    """Draw from rows (run, layer, rule, seed, step, norm, value)."""
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
    for name, (colour, marker) in PATHS.items():
        rows = table[(table["run"] == "plain") & (table["rule"] == name)]
        look = {"color": colour, "marker": marker, "markersize": 3, "linestyle": "none", "alpha": 0.7}
        left.plot(rows["norm"], rows["value"], label=name, **look)
    left.set(yscale="log", xlabel="‖W‖", ylabel="1 − correlation with plain descent")
    left.legend(loc="center", bbox_to_anchor=(0.5, 0.55))
    title(left, "a", "at equal ‖W‖")
    runs = [run for run in table["run"].unique() if run != "plain"]
    for k, run in enumerate(runs):
        for j, (rule, (colour, marker, words)) in enumerate(RULES.items()):
            values = table[(table["run"] == run) & (table["rule"] == rule)]["value"]
            y = k + 0.15 * (j - 2)
            if len(values):
                low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
                right.hlines(y, low, high, color=colour, linewidth=0.9)
                look = {"color": colour, "marker": marker, "markersize": 3.5, "linestyle": "none"}
                right.plot(middle, y, label=words if k == 0 else None, **look)
    right.axvline(1.0, color=GREY, linewidth=0.6, linestyle=":")
    right.set_yticks(range(len(runs)), runs)
    right.set(ylim=(len(runs) - 0.5, -0.5), xlabel="margin ratio (best: 1)")
    title(right, "b", "other rules, medians and quartiles")
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper center", ncols=3, title="(b)")
