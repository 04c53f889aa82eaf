"""Which tokens win under every rule, versus the dimension; and how often the trained W is right on new inputs."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, limit, look, ticks
from attnsvm.plots.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILLION, sheet, title

LOOKS = {
    "fro": look(BLUE, "-", "o", "Frobenius (GD)"),
    "linf": look(ORANGE, "-.", "s", "max (sign)"),
    "spectral": look(BLACK, "-", "^", "spectral"),
    "nuc": look(VERMILLION, "--", "D", "nuclear"),
    "l1": look(GREEN, (0, (1, 1)), "v", r"$\ell_1$ (coordinate)"),
    "adam": look(PURPLE, (0, (4, 1.5, 1, 1.5)), "P", "Adam"),
}
SHIFT = 0.012  # of the lines against one another, in powers of the dimension: their bars do not lie on one another
PANELS = (
    ("random", "global", "all tokens optimal"),
    ("random", "local", "locally optimal, not all optimal"),
    ("random", "neither", "neither"),
    ("told", "global", "all tokens optimal, label told"),
    ("told", "held_out", "right on new inputs, label told"),
    ("random", "held_out", "the same, label not told"),
)


@sheet(height=0.66)
def draw(figure, table):
    """Draw from rows (labels, d, steps, rule, quantity, value, low, high, instances), those of the short steps."""
    drawn = where(table, steps="short").dropna(subset="d")
    panels = figure.subplots(2, 3, sharex=True)
    for axes, letter, (labels, quantity, words) in zip(panels.flat, "abcdef", PANELS, strict=True):
        rows = where(drawn, labels=labels, quantity=quantity)
        _lines(axes, rows)
        title(axes, letter, words)
        if quantity == "held_out":
            words = "a token at random" if labels == "told" else ""  # curves lie there in the other panel
            limit(axes, where(table, quantity="blind")["value"].iloc[0], words)
            if labels == "random":
                limit(axes, 0.5, "best without the label")
        axes.set_ylim((0, 1) if quantity == "held_out" else (-0.04, 1.04))
    for row, words in zip(panels, ("share of runs", "share of runs, of new inputs"), strict=True):
        row[0].set(ylabel=words)
    for axes in panels[-1]:
        axes.set(xlabel="dimension $d$")
    words = f"bars: 95 % intervals over {drawn['instances'].max()} instances per point"
    key(figure, panels[0, 0], words, grey=True, ncols=len(LOOKS))


def _lines(axes, rows) -> None:
    for k, (rule, own) in enumerate(LOOKS.items()):
        line = where(rows, rule=rule).sort_values("d")
        x = line["d"] * 2 ** (SHIFT * (2 * k - len(LOOKS) + 1))
        axes.vlines(x, line["low"], line["high"], color=own["color"], linewidth=0.8, alpha=0.7)
        axes.plot(x, line["value"], markersize=3, **own)
    axes.set_xscale("log", base=2)
    ticks(axes, sorted(rows["d"].unique()))
