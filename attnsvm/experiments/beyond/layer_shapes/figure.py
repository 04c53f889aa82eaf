"""What becomes of stacks, versus the dimension, and how far the farthest are: two panels per depth and shape."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, PURPLE, VERMILLION, canvas, title

ENDS = {
    "law": (BLUE, "", "each layer goes to its SVM"),
    "farther": (VERMILLION, "xx", "a layer is farther from it"),
    "not saturated": (ORANGE, "..", "not saturated"),
    "not separable": (GREY, "//", "no separator"),
    "equal tokens": (PURPLE, "\\\\", "equal composed tokens"),
    "uncertified": (BLACK, "", "an SVM without certificate"),
}
LINES = {"stated": (VERMILLION, "o", "a winner in every row"), "corrected": (BLUE, "s", "mixtures kept (corrected)")}


def draw(table, settings):
    """Draw from rows (depth, n, T, d, problem, end, value, low, high, instances, interval, tail)."""
    depths, shapes = sorted(table["depth"].unique()), list(dict.fromkeys(zip(table["n"], table["T"], strict=True)))
    with canvas(settings, height=0.1 + 0.5 * len(depths)) as figure:
        grid = figure.subplots(2 * len(depths), len(shapes), sharex=True, sharey="row", squeeze=False)
        for i, depth in enumerate(depths):
            for j, (n, T) in enumerate(shapes):
                rows = table[(table["depth"] == depth) & (table["n"] == n) & (table["T"] == T)]
                place = 2 * i * len(shapes) + j
                bars(grid[2 * i, j], rows[rows["problem"] == "present"])
                title(grid[2 * i, j], "abcdefghijklmnopqrstuvwx"[place], f"{depth} layers, $n={n}$, $T={T}$")
                tails(grid[2 * i + 1, j], rows)
                title(grid[2 * i + 1, j], "abcdefghijklmnopqrstuvwx"[place + len(shapes)], "the farthest, and mixtures")
            grid[2 * i, 0].set_ylabel("share of instances")
            grid[2 * i + 1, 0].set_ylabel("95 % quantile of\n1 − correlation")
        for axes in grid[-1]:
            axes.set_xlabel("dimension d")
        found = [axes.get_legend_handles_labels() for axes in grid[:2, 0]]
        figure.legend(*(found[0][k] + found[1][k] for k in (0, 1)), loc="outside upper center", ncols=3)
    return figure


def bars(axes, rows):
    dimensions = sorted(rows["d"].unique())
    below = np.zeros(len(dimensions))
    for end, (colour, hatch, words) in ENDS.items():
        one = rows[rows["end"] == end].set_index("d").loc[dimensions]
        look = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.4}
        axes.bar(np.arange(len(dimensions)), one["value"], 0.75, bottom=below, label=words, **look)
        if end == "law":
            axes.vlines(np.arange(len(dimensions)), one["low"], one["high"], color="black", linewidth=0.9, zorder=4)
        below = below + one["value"].to_numpy()
    axes.set_xticks(np.arange(len(dimensions)), dimensions)
    axes.set(ylim=(0, 1))
    axes.grid(visible=False)


def tails(axes, rows):
    """The farthest layers by both problems, and the share of the measured runs in which a row keeps a mixture."""
    dimensions = sorted(rows["d"].unique())
    for problem, (colour, marker, words) in LINES.items():
        one = rows[(rows["problem"] == problem) & (rows["end"] == "law")].set_index("d").loc[dimensions]
        axes.plot(np.arange(len(dimensions)), one["tail"], color=colour, marker=marker, label=words)
    mixed = rows[rows["end"] == "mixed"].set_index("d")
    axes.plot(
        [dimensions.index(d) for d in mixed.index],
        mixed["value"],
        color=BLACK,
        marker="D",
        linestyle=":",
        label="share with a mixture",
    )
    axes.set(yscale="log")
    axes.set_xticks(np.arange(len(dimensions)), dimensions)
