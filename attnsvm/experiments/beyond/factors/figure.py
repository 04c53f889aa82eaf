"""(K, Q) under several rules: the way to the nuclear solution, what prevents it, columns and starts, other rules."""

from matplotlib.patches import Patch

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, band, bars, sheet, title

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
    usual = table[(table["m"] == table["m"].max()) & (table["scale"] == 1)]
    (long, cause), (columns, others) = figure.subplots(2, 2)
    ways = usual[usual["quantity"] == "distance"]
    for rule in COMPARED:
        _way(long, ways[ways["rule"] == rule], rule)
    title(long, "a", "two ways to divide the gradients")
    shared = ways[ways["rule"] == "balanced"]["step"].max()
    for rule in CAUSE:
        _way(cause, ways[(ways["rule"] == rule) & (ways["step"] <= shared)], rule)
    title(cause, "b", "one cause switched off at a time")
    for axes in (long, cause):
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel=DISTANCE)
        axes.legend(loc="lower left")
    _starts(columns, table[table["quantity"] == "distance"])
    _ends(others, usual)
    count = int(table["instances"].max())
    spread = Patch(color="0.8", label=f"medians and quartiles over {count} instances")
    marks, _ = others.get_legend_handles_labels()
    figure.legend(handles=[spread, *marks], loc="outside lower center", ncols=3)


def _way(axes, rows, rule) -> None:
    colour, line, _ = LOOKS[rule]
    rows, label = rows.sort_values("step"), NAME.get(rule, rule)
    band(axes, rows, "step", alpha=0.15, color=colour, linestyle=line, label=label)


def _starts(axes, rows) -> None:
    """The distance at the last common step of the runs with other columns or starts."""
    full = rows["m"].max()
    other = rows[(rows["m"] != full) | (rows["scale"] != 1)]
    step = other["step"].max()
    cases = sorted({(m, s) for m, s in zip(other["m"], other["scale"], strict=True)})
    for k, rule in enumerate(COMPARED):
        at = other[(other["rule"] == rule) & (other["step"] == step)].set_index(["m", "scale"]).loc[cases]
        colour, _, mark = LOOKS[rule]
        places = [x + 0.16 * (k - 0.5) for x in range(len(cases))]
        axes.errorbar(places, at["value"], bars(at), color=colour, fmt=mark, label=rule)
    names = [f"$m={m}$" if s == 1 else f"$m={m}$\n{s:g}×" for m, s in cases]
    axes.set_xticks(range(len(cases)), names)
    axes.set(yscale="log", ylabel=DISTANCE)
    axes.legend()
    title(axes, "c", f"columns and starts, {step} steps")


def _ends(axes, usual) -> None:
    """What is missing to a margin ratio of one, after the last step of every rule."""
    for k, (quantity, mark) in enumerate((("nuclear", "o"), ("spectral", "D"))):
        rows = usual[usual["quantity"] == quantity]
        ends = [rows[(rows["rule"] == rule)].sort_values("step").iloc[-1] for rule in LOOKS]
        places = [y + 0.24 * (k - 0.5) for y in range(len(ends))]
        bars = [[e["value"] - e["low"] for e in ends], [e["high"] - e["value"] for e in ends]]
        colour = (VERMILLION, BLACK)[k]
        axes.errorbar(
            [e["value"] for e in ends], places, xerr=bars, color=colour, fmt=mark, label=f"(d) {quantity} norm"
        )
    axes.set_yticks(range(len(LOOKS)), [NAME.get(rule, rule) for rule in LOOKS])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="1 − margin ratio")
    title(axes, "d", "every rule after its last step")
