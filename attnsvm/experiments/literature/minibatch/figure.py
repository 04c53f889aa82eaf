"""The margin ratio along training on all inputs and on one at a time, of sign rules and of normalised ones."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import lines, look, panel
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, sheet

LOOKS = {
    "normalised": look(BLUE, label="normalised"),
    "normalised, momentum": look(GREEN, label="normalised, momentum"),
    "signs": look(ORANGE, label="signs"),
    "Signum": look(GREEN, label="Signum"),
    "Adam": look(VERMILLION, label="Adam"),
}
LINES = {"all inputs": {"linestyle": "-"}, "one input": {"linestyle": "--"}}
PANELS = {
    "linf": ("in the max norm", ("signs", "Signum", "Adam")),
    "fro": ("in the Frobenius norm", ("normalised", "normalised, momentum")),
}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (rule, inputs, norm, step, value, low, high, instances)."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, letter, (norm, (words, rules)) in zip(panels, "ab", PANELS.items(), strict=True):
        for rule in rules:
            rows = where(table, rule=rule, norm=norm)
            lines(axes, rows, "step", "inputs", LINES, alpha=0.15, **LOOKS[rule])
        axes.axhline(1, color=GREY, linewidth=0.6)
        shown = rows["step"].max() / 1000, None
        panel(axes, letter, f"margin ratio {words}", "x", xlabel="step", xlim=shown, ylim=(0, 1.05))
    panels[0].set(ylabel="margin of W, best = 1")
    count = int(table["instances"].max())
    words = f"solid: all inputs, dashed: one at a time; medians over {count} instances, bands: their 95 % intervals"
    handles = [line for axes in panels for line in axes.get_lines() if line.get_label() in LOOKS][::2]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(LOOKS), title=words)
