"""What becomes of stacks, versus the dimension, and how far the farthest are: two panels per depth."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import look
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, PURPLE, VERMILLION, canvas, title

ENDS = {
    "law": (BLUE, "", "each layer goes to its SVM"),
    "farther": (VERMILLION, "xx", "a layer is farther from it"),
    "not saturated": (ORANGE, "..", "not saturated"),
    "not separable": (GREY, "//", "no separator"),
    "equal tokens": (PURPLE, "\\\\", "equal composed tokens"),
    "uncertified": (BLACK, "", "an SVM without certificate"),
}
PROBLEMS = {
    "stated": look(VERMILLION, "none", "o", "a winner in every row"),
    "corrected": look(BLUE, "none", "s", "mixtures kept (corrected)"),
}
APART = 1  # between the bars of two dimensions, in bars


def draw(table, settings):
    """Draw from rows (depth, n, T, d, problem, end, value, low, high, instances, interval, tail)."""
    depths, shapes = sorted(table["depth"].unique()), list(dict.fromkeys(zip(table["n"], table["T"], strict=True)))
    with canvas(settings, height=0.75) as figure:
        grid = figure.subplots(2, len(depths), sharex=True, sharey="row", squeeze=False)
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        for paint, row, words in ((bars, grid[0], "the ends of all runs"), (tails, grid[1], "the farthest layers")):
            for axes, depth in zip(row, depths, strict=True):
                paint(axes, placed(table[table["depth"] == depth], shapes))
                title(axes, next(letters), f"{depth} layers, {words}")
        grid[0, 0].set_ylabel("share of instances")
        grid[1, 0].set_ylabel("95 % quantile of 1 − correlation")
        named = ", ".join(f"({n}, {T})" for n, T in shapes)
        figure.supxlabel(f"dimension d; the bars of each: (n, T) = {named}", fontsize="medium")
        found = [axes.get_legend_handles_labels() for axes in grid[:, 0]]
        figure.legend(*(found[0][k] + found[1][k] for k in (0, 1)), loc="outside upper center", ncols=3)
    return figure


def placed(rows, shapes):
    """The rows with the place of their bar: the shapes of a dimension side by side."""
    dimensions = sorted(rows["d"].unique())
    shape = [shapes.index(pair) for pair in zip(rows["n"], rows["T"], strict=True)]
    return rows.assign(place=rows["d"].map(dimensions.index) * (len(shapes) + APART) + shape)


def bars(axes, rows):
    """How the runs of every shape end, and the 95 % interval of the share of those that follow the law."""
    rows = where(rows, problem="present")
    places, below = sorted(rows["place"].unique()), 0.0
    for end, (colour, hatch, words) in ENDS.items():
        one = where(rows, end=end).set_index("place").loc[places]
        face = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.4}
        axes.bar(places, one["value"], 0.85, bottom=below, label=words, **face)
        if end == "law":
            axes.vlines(places, one["low"], one["high"], color=BLACK, linewidth=0.9, zorder=4)
        below = below + one["value"].to_numpy()
    middle = rows.groupby("d")["place"].agg(lambda place: np.mean([place.min(), place.max()]))
    axes.set_xticks(middle, middle.index)
    axes.set(ylim=(0, 1))
    axes.grid(visible=False)


def tails(axes, rows):
    """The farthest layer of every shape by both problems."""
    both = [where(rows, problem=problem, end="law").set_index("place")["tail"] for problem in PROBLEMS]
    axes.vlines(both[0].index, both[0], both[1].loc[both[0].index], color=GREY, linewidth=0.8)
    for tail, own in zip(both, PROBLEMS.values(), strict=True):
        axes.plot(tail.index, tail, **own)
    axes.set(yscale="log")
    axes.grid(visible=False, axis="x")
