"""Real and Gaussian tokens: the way to the solution of the parametrisation, and how far other solutions are."""

from matplotlib.patches import Patch

from attnsvm.plots.style import BLUE, GREEN, GREY, NAME, VERMILLION, band, bars, sheet, title

LOOKS = {
    "digits_random": ("digits, random head", BLUE, "-", "o"),
    "digits_labels": ("digits, their labels", VERMILLION, (0, (3.2, 1.4)), "s"),
    "digits_position": ("digits, a token as query", GREEN, "-.", "^"),
    "gaussian": ("Gaussian tokens", GREY, (0, (1, 1)), "D"),
}
SOLUTION = {"W": "Frobenius", "KQ": "nuclear"}
ENDS = {
    "own": "own solution",
    "wrong": "other norm",
    "other": "another head's\nselection",
    "random": "random matrix,\nits own solution",
}


@sheet(height=0.7)
def draw(figure, table):
    """Draw from rows (tokens, parametrisation, step, quantity, value, low, high, instances)."""
    ways, ends = figure.subplots(2, 2, sharex="row", sharey="row", height_ratios=(1, 0.85))
    for axes, letter, name in zip(ways, "ab", SOLUTION, strict=True):
        rows = table[(table["parametrisation"] == name) & (table["quantity"] == "distance")]
        for tokens in LOOKS:
            _way(axes, rows[rows["tokens"] == tokens], tokens)
        axes.set(xscale="log", yscale="log", xlabel="step")
        title(axes, letter, f"{NAME[name]} trained, {SOLUTION[name]} solution")
    ways[0].set(ylabel="1 − correlation")
    for axes, letter, name in zip(ends, "cd", SOLUTION, strict=True):
        _ends(axes, table[table["parametrisation"] == name])
        title(axes, letter, f"{NAME[name]} after the last step")
    ends[0].invert_yaxis()
    handles, _ = ends[0].get_legend_handles_labels()
    spread = Patch(color="0.8", label=f"median, 95 % interval, {_counts(table)} instances")
    figure.legend(handles=[*handles, spread], loc="outside lower center", ncols=3)


def _way(axes, rows, tokens) -> None:
    label, colour, line, _ = LOOKS[tokens]
    band(axes, rows.sort_values("step"), "step", color=colour, linestyle=line, label=label)


def _ends(axes, rows) -> None:
    for k, (tokens, (label, colour, _, mark)) in enumerate(LOOKS.items()):
        found = rows[rows["tokens"] == tokens].set_index("quantity")
        found = found.loc[[end for end in ENDS if end in found.index]]
        places = [list(ENDS).index(end) + 0.18 * (k - 1.5) for end in found.index]
        axes.errorbar(found["value"], places, xerr=bars(found), color=colour, fmt=mark, label=label)
    axes.set_yticks(range(len(ENDS)), ENDS.values())
    axes.set(xscale="log", xlabel="1 − cosine")


def _counts(table) -> str:
    counts = table[table["quantity"] == "distance"]["instances"]
    low, high = counts.min(), counts.max()
    return f"{high:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
