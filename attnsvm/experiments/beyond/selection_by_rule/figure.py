"""Which tokens win under every rule, versus the dimension; and how often the trained W is right on new inputs."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, sheet, title

LOOKS = {
    "fro": ("Frobenius (GD)", BLUE, "-", "o"),
    "linf": ("max (sign)", ORANGE, "-.", "s"),
    "spectral": ("spectral", BLACK, "-", "^"),
    "nuc": ("nuclear", VERMILLION, "--", "D"),
    "l1": (r"$\ell_1$ (coordinate)", GREEN, (0, (1, 1)), "v"),
    "adam": ("Adam", PURPLE, (0, (4, 1.5, 1, 1.5)), "P"),
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
    drawn = table[(table["steps"] == "short") & table["d"].notna()]
    panels = figure.subplots(2, 3, sharex=True)
    for axes, letter, (labels, quantity, words) in zip(panels.flat, "abcdef", PANELS, strict=True):
        rows = drawn[(drawn["labels"] == labels) & (drawn["quantity"] == quantity)]
        _lines(axes, rows)
        title(axes, letter, words)
        if quantity == "held_out":
            blind = table.loc[table["quantity"] == "blind", "value"].iloc[0]
            axes.axhline(blind, color=GREY, linewidth=0.8, linestyle="--")
            axes.text(rows["d"].min(), blind - 0.02, "a token at random", color=GREY, va="top", fontsize="small")
            if labels == "random":
                axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
                axes.text(rows["d"].min(), 0.52, "best without the label", color=GREY, fontsize="small")
            axes.set_ylim(0, 1)
        else:
            axes.set_ylim(-0.04, 1.04)
    for row, words in zip(panels, ("share of runs", "share of runs, of new inputs"), strict=True):
        row[0].set(ylabel=words)
    for axes in panels[-1]:
        axes.set(xlabel="dimension $d$")
    note = figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(LOOKS))
    note.set_title(f"bars: 95 % intervals over {drawn['instances'].max()} instances per point")
    note.get_title().set_color(GREY)


def _lines(axes, rows) -> None:
    ticks = sorted(rows["d"].unique())
    for k, (rule, (label, colour, dashes, marker)) in enumerate(LOOKS.items()):
        line = rows[rows["rule"] == rule].sort_values("d")
        x = line["d"] * 2 ** (SHIFT * (2 * k - len(LOOKS) + 1))
        axes.vlines(x, line["low"], line["high"], color=colour, linewidth=0.8, alpha=0.7)
        axes.plot(x, line["value"], color=colour, linestyle=dashes, marker=marker, markersize=3, label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
