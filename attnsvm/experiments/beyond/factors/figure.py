"""(K, Q) under several rules: the way to the nuclear solution, what prevents it, columns and starts, other rules."""

from matplotlib.patches import Patch

from attnsvm.analysis.rows import last, where
from attnsvm.plots.panels import lines, look, panel
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, bars, sheet

LOOKS = {
    "published": (VERMILLION, "--", "s"),
    "joint": (BLUE, "-", "o"),
    "balanced": (ORANGE, (0, (1, 1)), "D"),
    "published_shrinking": (GREEN, "-.", "^"),
    "joint_shrinking": (SKY, (0, (4, 1, 1, 1)), "v"),
    "plain": (GREY, "-", "P"),
    "spectral": (BLACK, "-", "X"),
    "sign": (PURPLE, "-", "*"),
}
NAME = {"published_shrinking": "published, shrinking", "joint_shrinking": "joint, shrinking"}
CAUSE = ("published", "balanced", "published_shrinking", "joint")
COMPARED = ("published", "joint")
DISTANCE = "1 − correlation\nwith the nuclear solution"


@sheet(height=0.72)
def draw(figure, table):
    """Draw from rows (rule, m, scale, step, quantity, value, low, high, instances, interval)."""
    usual = where(table, m=table["m"].max(), scale=1)
    (long, cause), (columns, others) = figure.subplots(2, 2)
    ways = where(usual, quantity="distance")
    shared = ways[ways["step"] <= where(ways, rule="balanced")["step"].max()]
    two, one = "two ways to divide the gradients", "one cause switched off at a time"
    for axes, letter, words, rows, rules in ((long, "a", two, ways, COMPARED), (cause, "b", one, shared, CAUSE)):
        looks = {rule: look(*LOOKS[rule][:2], label=NAME.get(rule, rule)) for rule in rules}
        lines(axes, rows, "step", "rule", looks, alpha=0.15)
        panel(axes, letter, words, "xy", "lower left", xlabel="step", ylabel=DISTANCE)
    _starts(columns, where(table, quantity="distance"))
    _ends(others, usual)
    count = int(table["instances"].max())
    spread = Patch(color="0.8", label=f"medians and quartiles over {count} instances")
    marks, _ = others.get_legend_handles_labels()
    figure.legend(handles=[spread, *marks], loc="outside lower center", ncols=3)


def _starts(axes, rows) -> None:
    """The distance at the last common step of the runs with other columns or starts."""
    full = rows["m"].max()
    other = rows[(rows["m"] != full) | (rows["scale"] != 1)]
    step = other["step"].max()
    cases = sorted({(m, s) for m, s in zip(other["m"], other["scale"], strict=True)})
    for k, rule in enumerate(COMPARED):
        at = where(other, rule=rule, step=step).set_index(["m", "scale"]).loc[cases]
        colour, _, mark = LOOKS[rule]
        places = [x + 0.16 * (k - 0.5) for x in range(len(cases))]
        axes.errorbar(places, at["value"], bars(at), color=colour, fmt=mark, label=rule)
    names = [f"$m={m}$" if s == 1 else f"$m={m}$\n{s:g}×" for m, s in cases]
    axes.set_xticks(range(len(cases)), names)
    panel(axes, "c", f"columns and starts, {step} steps", "y", "best", ylabel=DISTANCE)


def _ends(axes, usual) -> None:
    """What is missing to a margin ratio of one, after the last step of every rule."""
    for k, (quantity, mark) in enumerate((("nuclear", "o"), ("spectral", "D"))):
        ends = last(where(usual, quantity=quantity), "rule").set_index("rule").loc[[*LOOKS]]
        places = [y + 0.24 * (k - 0.5) for y in range(len(ends))]
        colour, label = (VERMILLION, BLACK)[k], f"(d) {quantity} norm"
        axes.errorbar(ends["value"], places, xerr=bars(ends), color=colour, fmt=mark, label=label)
    axes.set_yticks(range(len(LOOKS)), [NAME.get(rule, rule) for rule in LOOKS])
    axes.invert_yaxis()
    panel(axes, "d", "every rule after its last step", "x", xlabel="1 − margin ratio")
