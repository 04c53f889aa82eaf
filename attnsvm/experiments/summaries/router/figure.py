"""Routers and plain attention: the distance on the way, the tokens, and the steps."""

from itertools import cycle

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

PLAIN = "attention"
COLOURS = {"gumbel": GREEN, "dirichlet": PURPLE, "reward": GREY}
NAMES = {
    PLAIN: "plain attention",
    "gumbel": "Gumbel-softmax",
    "dirichlet": "Dirichlet form",
    "reward": "entropy rewarded",
}
MARKS = {
    "(b) attention's token, (c) near its SVM": {"marker": "o"},
    "(b) the best token, (c) saturated": {"marker": "o", "markerfacecolor": "white"},
    "(c) never": {"marker": ">"},
}
# Curves of several penalties may coincide: dashes let the one below be seen.
PENALTIES = ((BLUE, "-"), (VERMILLION, "--"), (ORANGE, "-."), (SKY, ":"))


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (selector, quantity, step, value, low, high, instances)."""
    selectors = list(dict.fromkeys(table["selector"]))
    looks = _looks(selectors)
    way, tokens, steps = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    for name in selectors:
        rows = table[(table["selector"] == name) & (table["quantity"] == "distance")].sort_values("step")
        colour, _, dashes = looks[name]
        way.fill_between(rows["step"], rows["low"], rows["high"], color=colour, alpha=0.15, linewidth=0)
        way.plot(rows["step"], rows["value"], color=colour, linestyle=dashes)
    way.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation")
    title(way, "a", "distance to the SVM of its tokens")
    ends = table.sort_values("step").groupby(["selector", "quantity"]).last()
    _tokens(tokens, ends, selectors, looks)
    _steps(steps, ends, selectors, looks)
    for label, colour in zip(tokens.get_yticklabels(), (looks[name][0] for name in selectors), strict=True):
        label.set_color(colour)  # which names the curves of (a) too
    handles = [
        steps.plot([], [], color=GREY, linestyle="none", label=words, **look)[0] for words, look in MARKS.items()
    ]
    count = int(table["instances"].max())
    figure.legend(handles=handles, loc="outside lower center", ncols=3, title=f"95 % intervals, {count} instances")


def _name(selector: str) -> str:
    return NAMES.get(selector, selector.replace("entropy ", "entropy penalty "))


def _looks(selectors) -> dict:
    looks, penalties = {}, cycle(PENALTIES)
    known = {name: (colour, "-") for name, colour in COLOURS.items()} | {PLAIN: (BLACK, "-"), "reward": (GREY, ":")}
    for k, name in enumerate(selectors):
        colour, dashes = known.get(name) or next(penalties)
        looks[name] = colour, MARKERS[k % len(MARKERS)], dashes
    return looks


def _tokens(axes, ends, selectors, looks) -> None:
    for k, name in enumerate(selectors):
        for quantity, shift, filled in (("same", -0.15, True), ("best", 0.15, False)):
            row, (colour, marker, _) = ends.loc[(name, quantity)], looks[name]
            bars = [[row["value"] - row["low"]], [row["high"] - row["value"]]]
            face = colour if filled else "white"
            axes.errorbar([row["value"]], [k + shift], xerr=bars, color=colour, fmt=marker, markerfacecolor=face)
    axes.set(xlim=(0, 1.03), xlabel="share of inputs", ylim=(len(selectors) - 0.5, -0.5))
    axes.set_yticks(range(len(selectors)), [_name(name) for name in selectors])
    title(axes, "b", "what is selected")


def _steps(axes, ends, selectors, looks) -> None:
    known = [
        ends.loc[(name, quantity)]
        for name in selectors
        for quantity in ("ratio_near", "ratio_saturated")
        if (name, quantity) in ends.index
    ]
    finite = np.array([row["value"] for row in known if np.isfinite(row["value"])])
    edge = 1.5 * max(finite.max(initial=1.0), 1.0)
    for k, name in enumerate(selectors):
        for quantity, shift, filled in (("ratio_near", -0.15, True), ("ratio_saturated", 0.15, False)):
            if (name, quantity) not in ends.index:
                continue
            row, (colour, marker, _) = ends.loc[(name, quantity)], looks[name]
            face = colour if filled else "white"
            if not np.isfinite(row["value"]):
                axes.plot([edge], [k + shift], marker=">", color=colour, markerfacecolor=face, clip_on=False)
                continue
            high = min(row["high"], edge)
            bars = [[row["value"] - row["low"]], [high - row["value"]]]
            axes.errorbar([row["value"]], [k + shift], xerr=bars, color=colour, fmt=marker, markerfacecolor=face)
    axes.axvline(1, color=GREY, linewidth=0.6)
    axes.set(xlim=(0, edge), xlabel="steps / those of attention", ylim=(len(selectors) - 0.5, -0.5))
    axes.set_yticks(range(len(selectors)), [])
    title(axes, "c", "how soon")
