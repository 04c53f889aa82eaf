"""The law of layers: its two forms in the tail, what rows keep, depth, and kinds of stacks with rival rules."""

import re

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import across, panel, rungs
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, sheet

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


def against_norm(table, **values):
    """The rows of the plain stack of two layers with these values, over the last three decades of its median ‖W‖."""
    rows = where(table, architecture=TWO)
    norm = where(rows, quantity="norm").set_index("step")["value"]
    rows = where(rows, **values).assign(norm=rows["step"].map(norm)).sort_values("step")
    return rows[rows["norm"] > rows["norm"].max() / 1000]


def tails(axes, table):
    """The farther layer of two, by both problems."""
    for rule, (colour, name) in BOTH.items():
        line = against_norm(table, layer=0, quantity=rule)
        for column, (dashes, part) in TAILS.items():
            axes.plot(line["norm"], line[column], color=colour, linestyle=dashes, label=f"{name}: {part}")
    panel(axes, "a", "two layers, the farther of both", "xy", "lower left", xlabel="‖W‖", ylabel=DISTANCE)


def rows_in_time(axes, table):
    for quantity, (colour, marker, words) in ROWS.items():
        line = against_norm(table, quantity=quantity)
        axes.fill_between(line["norm"], line["first_quartile"], line["third_quartile"], color=colour, alpha=0.2, lw=0)
        axes.plot(line["norm"], line["value"], color=colour, marker=marker, label=words)
    if len(line):
        end = line.iloc[-1]
        slope = 3 * end["value"] * end["norm"] / line["norm"]
        axes.plot(line["norm"], slope, color=GREY, linestyle="--", label="slope −1")
    words = {"xlabel": "‖W‖", "ylabel": "second probability"}
    panel(axes, "b", "two layers, rows that do not count", "xy", "lower left", **words)


def by_depth(axes, table):
    rows = compared(table)
    rows = rows[rows["architecture"].str.startswith(PLAIN) & rows["quantity"].isin(("corrected", "shuffled"))]
    rows = rows[rows["layer"] > 0].assign(depth=rows["architecture"].str.removeprefix(PLAIN).astype(int))
    for row in rows.itertuples():
        place = row.depth + 0.11 * (row.layer - (row.depth + 1) / 2)
        colour, marker, _ = RULES[row.quantity]
        axes.vlines(place, row.value, row.tail, color=colour, linewidth=0.8)
        axes.plot(place, row.value, color=colour, marker=marker, linestyle="none")
    words = {"xlabel": "number of layers (bottom to top within each)", "ylabel": DISTANCE}
    panel(axes, "c", "every layer, by depth", "y", xticks=sorted(rows["depth"].unique()), **words)


def by_kind(axes, table):
    """The bottom layer of two layers, and of other kinds of stacks."""
    rows = compared(table)
    rows = rows[(rows["layer"] == 1) & rows["quantity"].isin(RULES)]
    others = [kind for kind in dict.fromkeys(rows["architecture"]) if not re.search(f"{PLAIN}|:", kind)]
    kinds = [TWO, *others]
    for j, (rule, (colour, marker, words)) in enumerate(RULES.items()):
        own = rows[rows["architecture"].isin(kinds) & (rows["quantity"] == rule)]
        places = own["architecture"].map(kinds.index) + 0.13 * (j - 2)
        across(axes, places, own, colour, marker=marker, label=words)
    rungs(axes, ["two layers" if kind == TWO else kind.replace("per ", "per\n") for kind in kinds])
    panel(axes, "d", "kinds of stacks, the bottom layer", "x", xlabel=DISTANCE)
