"""Routers and plain attention: the distance on the way, the tokens, and the steps."""

from itertools import cycle

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, lines, look, panel, point, rungs
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SKY, VERMILLION, sheet

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
    curves = {name: look(colour, dashes) for name, (colour, _, dashes) in looks.items()}
    lines(way, where(table, quantity="distance"), "step", "selector", curves, alpha=0.15)
    panel(way, "a", "distance to the SVM of its tokens", "xy", xlabel="step", ylabel="1 − correlation")
    ends = table.sort_values("step").groupby(["selector", "quantity"]).last()
    _shown(tokens, ends, looks, ("same", "best"))
    rungs(tokens, [_name(name) for name in selectors])
    panel(tokens, "b", "what is selected", xlim=(0, 1.03), xlabel="share of inputs")
    for label, (colour, *_) in zip(tokens.get_yticklabels(), looks.values(), strict=True):
        label.set_color(colour)  # which names the curves of (a) too
    ratios = ("ratio_near", "ratio_saturated")
    known = ends[ends.index.isin(ratios, level="quantity")]["value"]
    edge = 1.5 * max([1.0, *known[np.isfinite(known)]])
    _shown(steps, ends, looks, ratios, edge)
    steps.axvline(1, color=GREY, linewidth=0.6)
    rungs(steps, [""] * len(selectors))
    panel(steps, "c", "how soon", xlim=(0, edge), xlabel="steps / those of attention")
    for words, own in MARKS.items():
        steps.plot([], [], color=GREY, linestyle="none", label=words, **own)
    key(figure, steps, f"95 % intervals, {int(table['instances'].max())} instances", ncols=3)


def _name(selector: str) -> str:
    return NAMES.get(selector, selector.replace("entropy ", "entropy penalty "))


def _looks(selectors) -> dict:
    looks, penalties = {}, cycle(PENALTIES)
    known = {name: (colour, "-") for name, colour in COLOURS.items()} | {PLAIN: (BLACK, "-"), "reward": (GREY, ":")}
    for k, name in enumerate(selectors):
        colour, dashes = known.get(name) or next(penalties)
        looks[name] = colour, MARKERS[k % len(MARKERS)], dashes
    return looks


def _shown(axes, ends, looks, quantities, edge=np.inf) -> None:
    """Two quantities of each selector after its last step, the first filled; what is beyond the edge stands there."""
    for k, (name, (colour, marker, _)) in enumerate(looks.items()):
        for quantity, shift, filled in zip(quantities, (-0.15, 0.15), (True, False), strict=True):
            row = dict(ends.loc[(name, quantity)]) if (name, quantity) in ends.index else {"value": np.nan}
            if np.isfinite(row["value"]):
                row["high"] = min(row["high"], edge)
                point(axes, k + shift, row, colour, marker, filled, along=True)
            elif "high" in row:
                face = colour if filled else "white"
                axes.plot([edge], [k + shift], marker=">", color=colour, markerfacecolor=face, clip_on=False)
