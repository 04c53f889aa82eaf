"""The law of layers: which rows of softmax count, at any depth, in every kind of stack, and the norms it fixes."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SERIES, VERMILLION, canvas, title

RULES = {  # colour, marker, line, words
    "top": (BLACK, "o", "-", "top layer"),
    "law": (BLUE, "s", "-", "1 in rows that count, 0 in others"),
    "read": (GREEN, "^", "--", "1 in rows that count, no other"),
    "selected": (ORANGE, "v", ":", "1 in selected rows only, 0 in others"),
    "shuffled": (PURPLE, "D", ":", "control: rows shuffled"),
    "all": (VERMILLION, "X", "-.", "1 in all rows"),
}
PLAIN = "depth "
DISTANCE = "1 − correlation with the SVM"


def draw(table, settings):
    """Draw from rows (architecture, layer, quantity, step, value, low, high, ...)."""
    with canvas(settings, height=1.1) as figure:
        grid = figure.subplots(3, 2)
        along_training(grid[0, 0], table)
        by_depth(grid[0, 1], table)
        by_kind(grid[1, 0], table)
        norms(grid[1, 1], table)
        held(grid[2, 0], table)
        held_share(grid[2, 1], table)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        more = grid[1, 0].get_legend_handles_labels()
        for handle, label in zip(*more, strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
        note = figure.legend(handles, labels, loc="outside upper center", ncols=3, title="margin that the SVM asks of")
        note.get_title().set_color(GREY)
    return figure


def compared(table):
    """The rows of the last step that all stacks have; some stacks are trained for longer."""
    return table[table["step"] == table.groupby("architecture")["step"].max().min()]


def along_training(axes, table):
    rows = table[(table["architecture"] == f"{PLAIN}2") & table["quantity"].isin(RULES)]
    for rule in [rule for rule in RULES if (rows["quantity"] == rule).any()]:
        line = rows[rows["quantity"] == rule]
        colour, marker, dashes, words = RULES[rule]
        line = line.sort_values("step")
        axes.fill_between(line["step"], line["low"], line["high"], color=colour, alpha=0.2, linewidth=0)
        axes.plot(line["step"], line["value"], color=colour, marker=marker, linestyle=dashes, label=words, markersize=3)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel=DISTANCE, xlim=(10, None))
    title(axes, "a", "two layers")


def by_depth(axes, table):
    rows = compared(table)
    rows = rows[rows["architecture"].str.startswith(PLAIN) & rows["quantity"].isin(("top", "law", "shuffled"))]
    rows = rows.assign(depth=rows["architecture"].str.removeprefix(PLAIN).astype(int))
    for row in rows.itertuples():
        place = row.depth + 0.11 * (row.layer - (row.depth + 1) / 2)
        look = RULES[row.quantity]
        axes.vlines(place, row.low, row.high, color=look[0], linewidth=0.8)
        axes.plot(place, row.value, color=look[0], marker=look[1], linestyle="none", markersize=3.5)
    axes.set(yscale="log", xlabel="number of layers (bottom to top within each)", ylabel=DISTANCE)
    axes.set_xticks(sorted(rows["depth"].unique()))
    title(axes, "b", "every layer, by depth")


def by_kind(axes, table):
    rows = compared(table)
    rows = rows[~rows["architecture"].str.startswith(PLAIN) & (rows["layer"] == 1) & rows["quantity"].isin(RULES)]
    kinds = list(dict.fromkeys(rows["architecture"]))
    for k, kind in enumerate(kinds):
        for j, rule in enumerate(("law", "read", "selected", "shuffled", "all")):
            for row in rows[(rows["architecture"] == kind) & (rows["quantity"] == rule)].itertuples():
                colour, marker, _, words = RULES[rule]
                y = k + 0.13 * (j - 2)
                axes.hlines(y, row.low, row.high, color=colour, linewidth=0.8)
                axes.plot(row.value, y, color=colour, marker=marker, linestyle="none", markersize=3.5, label=words)
    axes.set(xscale="log", xlabel=DISTANCE, ylim=(len(kinds) - 0.5, -0.5))
    axes.set_yticks(np.arange(len(kinds)), kinds)
    title(axes, "c", "other kinds of stacks, bottom layer")


def norms(axes, table):
    rows = table[(table["quantity"] == "ratio") & table["architecture"].str.startswith(PLAIN)]
    rows = rows[rows["architecture"].isin([f"{PLAIN}2", f"{PLAIN}3"])]
    for k, ((name, layer), line) in enumerate(rows.groupby(["architecture", "layer"])):
        line = line.sort_values("step")
        words = f"{name.removeprefix(PLAIN)} layers, layer {layer}"
        axes.fill_between(line["step"], line["low"], line["high"], color=SERIES[k], alpha=0.2, linewidth=0)
        axes.plot(line["step"], line["value"], color=SERIES[k], marker=MARKERS[k], label=words, markersize=3)
    axes.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xscale="log", xlabel="step", xlim=(10, None), ylabel="log ratio of norms, less the top's")
    axes.legend(loc="best")
    title(axes, "d", "norms over those of the SVMs")


def held(axes, table):
    line = one(table, "held margin")
    band(axes, line)
    last = line[line["step"] >= line["step"].max() / 100]
    reference = last["value"].iloc[-1] + np.log(last["step"] / last["step"].iloc[-1])
    axes.plot(last["step"], reference - 0.7, color=GREY, linestyle="--", label="slope of the logarithm of the step")
    axes.set(xscale="log", xlabel="step", ylabel="margin", xlim=(100, None))
    axes.legend(loc="upper left")
    title(axes, "e", "margin of the rows held at the boundary")


def held_share(axes, table):
    band(axes, one(table, "held share"))
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="relative margin", xlim=(500, None))
    title(axes, "f", "the same, over that of rows that count")


def one(table, quantity):
    return table[(table["architecture"] == f"{PLAIN}2") & (table["quantity"] == quantity)].sort_values("step")


def band(axes, line):
    axes.fill_between(line["step"], line["low"], line["high"], color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(line["step"], line["value"], color=BLUE, marker="s", markersize=3)
