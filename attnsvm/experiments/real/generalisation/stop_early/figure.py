"""What stopping at a step gains on new inputs, with flipped labels and without."""

from attnsvm.plots.style import BLUE, GREY, VERMILLION, band, sheet, title

TOKENS = {"gaussian": "Gaussian tokens", "digits": "digits"}
LABELS = {"flipped": (VERMILLION, "s", "--", "labels flipped"), "clean": (BLUE, "o", "-", "labels by the rule")}


@sheet(height=0.36)
def draw(figure, table):
    """Draw from rows (variant, n, step, value, low, high, right, instances)."""
    panels = figure.subplots(1, len(TOKENS), sharex=True, sharey=True)
    for axes, letter, (tokens, words) in zip(panels, "ab", TOKENS.items(), strict=True):
        axes.axhline(0, color=GREY, linewidth=0.6)
        for labels, (colour, marker, line, name) in LABELS.items():
            rows = table[table["variant"] == f"{tokens}_{labels}"]
            rows = rows[rows["n"] == rows["n"].max()]
            band(axes, rows, "step", color=colour, marker=marker, linestyle=line, label=name)
        title(axes, letter, f"{words}, $n = {rows['n'].max()}$")
        axes.set(xscale="log", xlabel="training stops at this step")
    panels[0].set(ylabel="new inputs right,\nless that after the last step")
    panels[1].legend(loc="upper right")
