"""How often each rule is wrong after R steps, and the rules for mixtures against one another."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

READ = {"saturated": (BLACK, "o"), "winner": (BLUE, "s"), "reached": (GREEN, "^"), "mixture, used": (VERMILLION, "D")}
RULES = {
    "used": (VERMILLION, "D"),
    "0.03": (ORANGE, "s"),
    "0.1": (PURPLE, "s"),
    "far": (BLUE, "^"),
    "slope": (SKY, "v"),
    "far slope": (GREEN, "v"),
    "last": (GREY, "x"),
}


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (rule, steps, against, quantity, value, low, high)."""
    a, b = figure.subplots(1, 2)
    wrong = table[table["quantity"] == "wrong"]
    for rule, (colour, marker) in READ.items():
        for against, style in ((2, ":"), (8, "-")):
            own = wrong[(wrong["rule"] == rule) & (wrong["against"] == against)]
            line = {"color": colour, "marker": marker, "markersize": 3, "linestyle": style}
            _with_bars(a, own, label=rule.partition(",")[0] if against == 8 else None, **line)
    a.set(xscale="log", xlabel="R, steps", ylabel="share that is wrong")
    steps = sorted(wrong["steps"].unique())
    a.set_xticks(steps, [f"{one:,}" for one in steps])
    a.set_xticks([], minor=True)
    a.legend(fontsize="small")
    title(a, "a", "what a rule says")
    last = table[(table["against"] == 8) & (table["steps"] == table.loc[table["against"] == 8, "steps"].max())]
    for rule, (colour, marker) in RULES.items():
        own = last[last["rule"] == f"mixture, {rule}"].set_index("quantity")
        if {"wrong", "missed"} <= {*own.index}:
            x, y = own.loc["wrong"], own.loc["missed"]
            up, along = ([[one["value"] - one["low"]], [one["high"] - one["value"]]] for one in (y, x))
            look = {"color": colour, "marker": marker, "markersize": 4, "elinewidth": 0.6, "linestyle": "none"}
            b.errorbar(x["value"], y["value"], up, along, label=rule, **look)
    b.set(xlabel="mixtures that do not stay, share", ylabel="mixtures that are missed, share")
    b.legend(fontsize="small")
    title(b, "b", "rules for mixtures")


def _with_bars(axes, rows, **look) -> None:
    ends = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
    axes.errorbar(rows["steps"], rows["value"], ends, linewidth=0.8, **look)
