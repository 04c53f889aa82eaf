"""Plain descent beside other paths; and how much of the best margin each rule reaches, with each kind of margins."""

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import middle_half
from attnsvm.plots.panels import across, key, look, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, PURPLE, VERMILLION, sheet

PATHS = {"normalised": look(BLUE, marker="o"), "a norm per layer": look(VERMILLION, marker="D")}
RULES = {
    "top": look(BLACK, marker="o", label="top"),
    "graded": look(BLUE, marker="s", label="layer below, graded margins"),
    "margin 0": look(VERMILLION, marker="D", label="other rows at margin 0"),
    "free": look(GREEN, marker="^", label="other rows free"),
    "frobenius": look(PURPLE, marker="x", label="graded, Frobenius norm"),
}


@sheet(height=0.52)
def draw(figure, table):
    """Draw from rows (run, layer, rule, seed, step, norm, value)."""
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
    for name, own in PATHS.items():
        rows = where(table, run="plain", rule=name)
        left.plot(rows["norm"], rows["value"], label=name, markersize=3, linestyle="none", alpha=0.7, **own)
    legend, words = {"loc": "center", "bbox_to_anchor": (0.5, 0.55)}, "1 − correlation with plain descent"
    panel(left, "a", "at equal ‖W‖", "y", legend, xlabel="‖W‖", ylabel=words)
    runs = [run for run in table["run"].unique() if run != "plain"]
    for k, run in enumerate(runs):
        for j, (rule, own) in enumerate(RULES.items()):
            values = where(table, run=run, rule=rule)["value"]
            if len(values):
                own = own if k == 0 else own | {"label": None}
                across(right, k + 0.15 * (j - 2), middle_half(values), bar=0.9, markersize=3.5, **own)
    right.axvline(1.0, color=GREY, linewidth=0.6, linestyle=":")
    rungs(right, runs)
    panel(right, "b", "other rules, medians and quartiles", xlabel="margin ratio (best: 1)")
    key(figure, right, "(b)", above=True, ncols=3)
