"""What becomes of stacks, versus the dimension: a panel per depth and shape."""

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


def draw(table, settings):
    """Draw from rows (depth, n, T, d, end, share, low, high, instances)."""
    depths, shapes = sorted(table["depth"].unique()), list(dict.fromkeys(zip(table["n"], table["T"], strict=True)))
    with canvas(settings, height=0.1 + 0.27 * len(depths)) as figure:
        grid = figure.subplots(len(depths), len(shapes), sharex=True, sharey=True, squeeze=False)
        for i, depth in enumerate(depths):
            for j, (n, T) in enumerate(shapes):
                rows = table[(table["depth"] == depth) & (table["n"] == n) & (table["T"] == T)]
                bars(grid[i, j], rows)
                title(grid[i, j], "abcdefghijkl"[i * len(shapes) + j], f"{depth} layers, $n={n}$, $T={T}$")
            grid[i, 0].set_ylabel("share of instances")
        for axes in grid[-1]:
            axes.set_xlabel("dimension d")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def bars(axes, rows):
    dimensions = sorted(rows["d"].unique())
    below = np.zeros(len(dimensions))
    for end, (colour, hatch, words) in ENDS.items():
        one = rows[rows["end"] == end].set_index("d").loc[dimensions]
        look = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.4}
        axes.bar(np.arange(len(dimensions)), one["share"], 0.75, bottom=below, label=words, **look)
        if end == "law":
            axes.vlines(np.arange(len(dimensions)), one["low"], one["high"], color="black", linewidth=0.9, zorder=4)
        below = below + one["share"].to_numpy()
    axes.set_xticks(np.arange(len(dimensions)), dimensions)
    axes.set(ylim=(0, 1))
    axes.grid(visible=False)
