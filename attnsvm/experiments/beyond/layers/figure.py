"""The law of layers: tails of the stated and the corrected problem, what holds rows, depth, kinds, rates, controls."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SERIES, VERMILLION, sheet, title

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
BOTH = {"stated": (VERMILLION, "a winner in every row"), "corrected": (BLUE, "mixtures kept (corrected)")}
TAILS = {"largest": ("-", "largest"), "tail": ("--", "95 %"), "value": (":", "median")}
CONTROLS = {
    "corrected": "corrected",
    "stated": "a winner in every row",
    "read": "other rows free",
    "swapped": "one counting row swapped",
    "all": "margin 1 in all rows",
    "shuffled": "counting rows shuffled",
    "predicted": "predicted at 1/50 of the steps",
    "weights then": "the weights at that step",
    "random_law": "random W, its selection",
}
RATED = {"graded": (BLUE, "s", "graded"), "law": (VERMILLION, "o", "0 in others"), "read": (GREEN, "^", "others free")}


@sheet(height=1.75)
def draw(figure, table):
    """Draw from rows (architecture, layer, quantity, step, value, low, high, ..., tail, largest, instances)."""
    grid = figure.subplots(5, 2)
    tails(grid[0, 0], table, 2, "a", "two layers, the top: tails")
    tails(grid[0, 1], table, 1, "b", "two layers, the layer below: tails")
    rows_in_time(grid[1, 0], table)
    forces(grid[1, 1], table)
    by_depth(grid[2, 0], table)
    by_kind(grid[2, 1], table)
    by_rate(grid[3, 0], table)
    controls(grid[3, 1], table)
    ratios(grid[4, 0], table)
    held_share(grid[4, 1], table)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, title="(a, b)")


def compared(table):
    """The rows of the last step that all stacks have; some stacks are trained for longer."""
    return table[table["step"] == table.groupby("architecture")["step"].max().min()]


def against_norm(table, **where):
    """The rows of the plain stack of two layers with these values, by step, with its median ‖W‖ as `norm`."""
    rows = table[table["architecture"] == f"{PLAIN}2"]
    norm = rows[rows["quantity"] == "norm"].set_index("step")["value"]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.assign(norm=rows["step"].map(norm)).sort_values("step")


def late(rows):
    """Rows of the last three decades of ‖W‖."""
    return rows[rows["norm"] > rows["norm"].max() / 1000]


def tails(axes, table, layer, letter, words):
    for rule, (colour, name) in BOTH.items():
        line = late(against_norm(table, layer=layer, quantity=rule))
        for column, (dashes, part) in TAILS.items():
            axes.plot(line["norm"], line[column], color=colour, linestyle=dashes, label=f"{name}: {part}")
    axes.set(xscale="log", yscale="log", xlabel="‖W‖", ylabel=DISTANCE)
    title(axes, letter, words)


def rows_in_time(axes, table):
    looks = {
        "mixed probability": (BLUE, "s", "rows that keep a mixture"),
        "held probability": (VERMILLION, "o", "held"),
    }
    for quantity, (colour, marker, words) in looks.items():
        line = late(against_norm(table, quantity=quantity))
        axes.fill_between(line["norm"], line["first_quartile"], line["third_quartile"], color=colour, alpha=0.2, lw=0)
        axes.plot(line["norm"], line["value"], color=colour, marker=marker, markersize=3, label=words)
    if len(line):
        end = line.iloc[-1]
        axes.plot(
            line["norm"], 3 * end["value"] * end["norm"] / line["norm"], color=GREY, linestyle="--", label="slope −1"
        )
    axes.set(xscale="log", yscale="log", xlabel="‖W‖", ylabel="second probability")
    axes.legend(loc="lower left", fontsize="small")
    title(axes, "c", "rows that do not count")


def forces(axes, table):
    line = late(against_norm(table, quantity="held law"))
    axes.axhline(1.0, color=GREY, linewidth=0.8, linestyle=":")
    axes.fill_between(line["norm"], line["first_quartile"], line["third_quartile"], color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(line["norm"], line["value"], color=BLUE, marker="s", markersize=3, label="force over ν/λ")
    angle = late(against_norm(table, quantity="dual"))
    axes.plot(angle["norm"], angle["value"], color=BLACK, marker="o", markersize=3, label="1 − cosine of all")
    shuffled = late(against_norm(table, quantity="dual shuffled"))
    axes.plot(
        shuffled["norm"], shuffled["value"], color=PURPLE, marker="D", linestyle="none", label="multipliers moved"
    )
    axes.set(xscale="log", yscale="log", xlabel="‖W‖", ylabel="ratio; 1 − cosine")
    axes.legend(loc="lower left", fontsize="small")
    title(axes, "d", "forces against multipliers")


def by_depth(axes, table):
    rows = compared(table)
    rows = rows[rows["architecture"].str.startswith(PLAIN) & rows["quantity"].isin(("corrected", "shuffled"))]
    rows = rows[rows["layer"] > 0].assign(depth=rows["architecture"].str.removeprefix(PLAIN).astype(int))
    for row in rows.itertuples():
        place = row.depth + 0.11 * (row.layer - (row.depth + 1) / 2)
        colour, marker = (PURPLE, "D") if row.quantity == "shuffled" else (BLUE, "s")
        axes.vlines(place, row.value, row.tail, color=colour, linewidth=0.8)
        label = {"shuffled": "control: rows shuffled", "corrected": "corrected"}[row.quantity]
        label = (
            label if row.layer == row.depth - (row.quantity == "shuffled") == 2 - (row.quantity == "shuffled") else None
        )
        axes.plot(place, row.value, color=colour, marker=marker, linestyle="none", markersize=3.5, label=label)
    axes.set(yscale="log", xlabel="number of layers (bottom to top within each)", ylabel=DISTANCE)
    axes.set_xticks(sorted(rows["depth"].unique()))
    axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.72), fontsize="small")
    title(axes, "e", "every layer, by depth")


def by_kind(axes, table):
    looks = RULES | {"corrected": (BLUE, "s", "-", "corrected")}
    rules = ("corrected", "read", "selected", "shuffled", "all")
    rows = compared(table)
    rows = rows[~rows["architecture"].str.contains(PLAIN + "|:", regex=True) & (rows["layer"] == 1)]
    kinds, named = list(dict.fromkeys(rows["architecture"])), set()
    for k, kind in enumerate(kinds):
        for j, rule in enumerate(rules):
            for row in rows[(rows["architecture"] == kind) & (rows["quantity"] == rule)].itertuples():
                colour, marker, _, words = looks[rule]
                y = k + 0.13 * (j - 2)
                axes.hlines(y, row.low, row.high, color=colour, linewidth=0.8)
                label = None if rule in named else words
                named.add(rule)
                axes.plot(row.value, y, color=colour, marker=marker, linestyle="none", markersize=3.5, label=label)
    axes.set(xscale="log", xlabel=DISTANCE, ylim=(len(kinds) - 0.5, -0.5))
    axes.set_yticks(np.arange(len(kinds)), kinds)
    axes.legend(loc="upper center", bbox_to_anchor=(0.3, -0.22), ncols=2, fontsize="small")
    title(axes, "f", "other kinds, bottom layer")


def by_rate(axes, table):
    rows = compared(table)
    rows = rows[rows["architecture"].str.startswith("own norms") & (rows["layer"] == 1)]
    rate = rows["architecture"].str.extract(r", (\d+):1")[0].fillna(1).astype(int)
    for rule, (colour, marker, words) in RATED.items():
        line = rows.assign(rate=rate)[rows["quantity"] == rule].sort_values("rate")
        axes.vlines(line["rate"], line["value"], line["tail"], color=colour, linewidth=0.8)
        axes.plot(line["rate"], line["value"], color=colour, marker=marker, label=words)
    axes.set(xscale="log", yscale="log", xlabel="step of the layer below over that of the top", ylabel=DISTANCE)
    axes.set_xticks(sorted(rate.unique()), [f"{one}" for one in sorted(rate.unique())])
    axes.minorticks_off()
    axes.legend(loc="upper left", fontsize="small")
    title(axes, "g", "a norm per layer, unequal steps")


def controls(axes, table):
    rows = table[(table["architecture"] == f"{PLAIN}2") & (table["layer"] == 1)]
    rows = rows[rows["step"] == rows.groupby("quantity")["step"].transform("max")].set_index("quantity")
    for k, quantity in enumerate(CONTROLS):
        if quantity in rows.index:
            row = rows.loc[quantity]
            colour = BLUE if quantity in ("corrected", "predicted") else GREY
            axes.hlines(k, row["value"], row["largest"], color=colour, linewidth=0.8)
            axes.plot(row["value"], k, color=colour, marker="o", markersize=4)
    axes.set(xscale="log", xlabel="median to largest distance", ylim=(len(CONTROLS) - 0.5, -0.5))
    axes.set_yticks(np.arange(len(CONTROLS)), list(CONTROLS.values()))
    title(axes, "h", "layer below: rivals and controls")


def ratios(axes, table):
    rows = table[(table["quantity"] == "ratio") & table["architecture"].isin([f"{PLAIN}2", f"{PLAIN}3"])]
    for k, ((name, layer), line) in enumerate(rows.groupby(["architecture", "layer"])):
        line = line.sort_values("step")
        words = f"{name.removeprefix(PLAIN)} layers, layer {layer}"
        axes.fill_between(line["step"], line["low"], line["high"], color=SERIES[k], alpha=0.2, linewidth=0)
        axes.plot(line["step"], line["value"], color=SERIES[k], marker=MARKERS[k], label=words, markersize=3)
    axes.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xscale="log", xlabel="step", xlim=(10, None), ylabel="log ratio of norms, less the top's")
    axes.legend(loc="best", fontsize="small")
    title(axes, "i", "norms over those of the SVMs")


def held_share(axes, table):
    line = against_norm(table, quantity="held share")
    axes.fill_between(line["step"], line["low"], line["high"], color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(line["step"], line["value"], color=BLUE, marker="s", markersize=3)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="relative margin", xlim=(500, None))
    title(axes, "j", "held rows: margin, relative")
