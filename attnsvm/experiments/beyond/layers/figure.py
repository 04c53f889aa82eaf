"""The law of layers: its two forms in the tail, what rows keep, depth, and kinds of stacks with rival rules."""

import re

import numpy as np

from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, sheet, title

PLAIN = "depth "
TWO = f"{PLAIN}2"
DISTANCE = "1 − correlation with the SVM"
BOTH = {"stated": (VERMILLION, "a winner in every row"), "corrected": (BLUE, "mixtures kept (corrected)")}
TAILS = {"largest": ("-", "largest"), "value": (":", "median")}
ROWS = {
    "mixed probability": (BLUE, "s", "rows that keep a mixture"),
    "held probability": (VERMILLION, "o", "rows held at margin 0"),
}
RULES = {  # colour, marker, words
    "corrected": (BLUE, "s", "corrected"),
    "read": (GREEN, "^", "nothing asked of other rows"),
    "selected": (ORANGE, "v", "rows passed on do not count"),
    "all": (VERMILLION, "X", "all rows count"),
    "shuffled": (PURPLE, "D", "control: counting rows shuffled"),
}


@sheet(height=0.86)
def draw(figure, table):
    """Draw from rows (architecture, layer, quantity, step, value, low, high, ..., tail, largest, instances)."""
    grid = figure.subplots(2, 2)
    tails(grid[0, 0], table)
    rows_in_time(grid[0, 1], table)
    by_depth(grid[1, 0], table)
    by_kind(grid[1, 1], table)
    figure.legend(*grid[1, 1].get_legend_handles_labels(), loc="outside lower center", ncols=3, title="(c, d)")


def compared(table):
    """The rows of the last step that all stacks have; some stacks are trained for longer."""
    return table[table["step"] == table.groupby("architecture")["step"].max().min()]


def against_norm(table, **where):
    """The rows of the plain stack of two layers with these values, over the last three decades of its median ‖W‖."""
    rows = table[table["architecture"] == TWO]
    norm = rows[rows["quantity"] == "norm"].set_index("step")["value"]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    rows = rows.assign(norm=rows["step"].map(norm)).sort_values("step")
    return rows[rows["norm"] > rows["norm"].max() / 1000]


def tails(axes, table):
    """The farther layer of two, by both problems."""
    for rule, (colour, name) in BOTH.items():
        line = against_norm(table, layer=0, quantity=rule)
        for column, (dashes, part) in TAILS.items():
            axes.plot(line["norm"], line[column], color=colour, linestyle=dashes, label=f"{name}: {part}")
    axes.set(xscale="log", yscale="log", xlabel="‖W‖", ylabel=DISTANCE)
    axes.legend(loc="lower left")
    title(axes, "a", "two layers, the farther of both")


def rows_in_time(axes, table):
    for quantity, (colour, marker, words) in ROWS.items():
        line = against_norm(table, quantity=quantity)
        axes.fill_between(line["norm"], line["first_quartile"], line["third_quartile"], color=colour, alpha=0.2, lw=0)
        axes.plot(line["norm"], line["value"], color=colour, marker=marker, label=words)
    if len(line):
        end = line.iloc[-1]
        slope = 3 * end["value"] * end["norm"] / line["norm"]
        axes.plot(line["norm"], slope, color=GREY, linestyle="--", label="slope −1")
    axes.set(xscale="log", yscale="log", xlabel="‖W‖", ylabel="second probability")
    axes.legend(loc="lower left")
    title(axes, "b", "two layers, rows that do not count")


def by_depth(axes, table):
    rows = compared(table)
    rows = rows[rows["architecture"].str.startswith(PLAIN) & rows["quantity"].isin(("corrected", "shuffled"))]
    rows = rows[rows["layer"] > 0].assign(depth=rows["architecture"].str.removeprefix(PLAIN).astype(int))
    for row in rows.itertuples():
        place = row.depth + 0.11 * (row.layer - (row.depth + 1) / 2)
        colour, marker, _ = RULES[row.quantity]
        axes.vlines(place, row.value, row.tail, color=colour, linewidth=0.8)
        axes.plot(place, row.value, color=colour, marker=marker, linestyle="none")
    axes.set(yscale="log", xlabel="number of layers (bottom to top within each)", ylabel=DISTANCE)
    axes.set_xticks(sorted(rows["depth"].unique()))
    title(axes, "c", "every layer, by depth")


def by_kind(axes, table):
    """The bottom layer of two layers, and of other kinds of stacks."""
    rows = compared(table)
    rows = rows[(rows["layer"] == 1) & rows["quantity"].isin(RULES)]
    others = [kind for kind in dict.fromkeys(rows["architecture"]) if not re.search(f"{PLAIN}|:", kind)]
    kinds, named = [TWO, *others], set()
    for k, kind in enumerate(kinds):
        for j, (rule, (colour, marker, words)) in enumerate(RULES.items()):
            for row in rows[(rows["architecture"] == kind) & (rows["quantity"] == rule)].itertuples():
                y = k + 0.13 * (j - 2)
                axes.hlines(y, row.low, row.high, color=colour, linewidth=0.8)
                label = None if rule in named else words
                named.add(rule)
                axes.plot(row.value, y, color=colour, marker=marker, linestyle="none", label=label)
    names = ["two layers" if kind == TWO else kind.replace("per ", "per\n") for kind in kinds]
    axes.set(xscale="log", xlabel=DISTANCE, ylim=(len(kinds) - 0.5, -0.5))
    axes.set_yticks(np.arange(len(kinds)), names)
    title(axes, "d", "kinds of stacks, the bottom layer")
