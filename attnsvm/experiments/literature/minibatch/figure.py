"""The margin ratio along training on all inputs and on one at a time, of sign rules and of normalised ones."""

from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, band, sheet, title

LOOKS = {
    "normalised": (BLUE, "fro"),
    "normalised, momentum": (GREEN, "fro"),
    "signs": (ORANGE, "linf"),
    "Signum": (GREEN, "linf"),
    "Adam": (VERMILLION, "linf"),
}
LINES = {"all inputs": "-", "one input": "--"}
NORMS = {"linf": "in the max norm", "fro": "in the Frobenius norm"}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (rule, inputs, norm, step, value, low, high, instances)."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, letter, (norm, words) in zip(panels, "ab", NORMS.items(), strict=True):
        for rule, (colour, own) in LOOKS.items():
            if own != norm:
                continue
            for inputs, line in LINES.items():
                kept = (table["rule"] == rule) & (table["inputs"] == inputs) & (table["norm"] == norm)
                rows = table[kept].sort_values("step")
                band(axes, rows, "step", alpha=0.15, color=colour, linestyle=line, label=rule)
        axes.axhline(1, color=GREY, linewidth=0.6)
        axes.set(xscale="log", xlabel="step", xlim=(rows["step"].max() / 1000, None), ylim=(0, 1.05))
        title(axes, letter, f"margin ratio {words}")
    panels[0].set(ylabel="margin of W, best = 1")
    count = int(table["instances"].max())
    words = f"solid: all inputs, dashed: one at a time; medians over {count} instances, bands: their 95 % intervals"
    handles = [line for axes in panels for line in axes.get_lines() if line.get_label() in LOOKS][::2]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(LOOKS), title=words)
