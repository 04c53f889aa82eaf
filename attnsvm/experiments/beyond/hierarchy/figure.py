"""A trained stack as a hierarchy of SVMs: what every layer separates, and how near each is to its SVM by depth."""

import numpy as np
from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.experiments.beyond.layers.figure import DISTANCE, PLAIN, compared
from attnsvm.plots.panels import look
from attnsvm.plots.plane import colour, marker
from attnsvm.plots.style import BLACK, BLUE, GREY, PURPLE, sheet

PAD = 0.22  # of the extent of the tokens, around them
ARROW = {"arrowstyle": "-|>", "linewidth": 0.9, "mutation_scale": 8, "shrinkA": 3, "shrinkB": 5, "zorder": 4}


@sheet(height=0.39)
def draw(figure, table):
    """Draw from the rows of `hierarchy` and `layers`, told apart by `experiment`."""
    own, law = (where(table, experiment=name) for name in ("hierarchy", "layers"))
    layers = sorted(own["layer"].unique())
    row = figure.subplots(1, len(layers) + 1, width_ratios=[1.0] * len(layers) + [1.15])
    for axes, layer in zip(row, layers, strict=False):
        plane(axes, where(own, layer=layer), layer == layers[-1])
        sees = "the data" if layer == 1 else f"what layer {layer - 1} made"
        if layer == layers[-1] and layer > 2:
            sees = f"what {layer - 1} layers made"
        axes.set_title(f"Layer {layer} separates\n{sees}", loc="left", weight="bold", fontsize="medium")
    by_depth(row[-1], law)
    legend(figure, own)


def plane(axes, rows, last):
    tokens = where(rows, kind="token")
    for kind, own in (("svm", {"linewidth": 5, "alpha": 0.28}), ("trained", {"linewidth": 1.0})):
        for line in where(rows, kind=kind).itertuples():
            axes.plot([line.x, line.from_x], [line.y, line.from_y], color=colour(line.input), zorder=2, **own)
    for i, group in tokens.groupby("input"):
        axes.plot(group["x"], group["y"], linestyle="none", color=colour(i), marker=marker(i), **TOKEN, zorder=5)
    for choice in where(rows, kind="choice").itertuples():
        size = 11 if last else TOKEN["markersize"]
        shape = "*" if last else marker(choice.input)
        axes.plot(choice.x, choice.y, color=colour(choice.input), marker=shape, zorder=6, markersize=size, **EDGE)
        if not last and (choice.x, choice.y) != (choice.from_x, choice.from_y):
            arrow = ARROW | {"color": colour(choice.input), "connectionstyle": "arc3,rad=0.25"}
            axes.annotate("", (choice.x, choice.y), (choice.from_x, choice.from_y), arrowprops=arrow)
    centre = np.array([[tokens[c].min(), tokens[c].max()] for c in "xy"])
    half = (0.5 + PAD) * (centre[:, 1] - centre[:, 0]).max()
    middle = centre.mean(1)
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
    axes.set_aspect("equal")
    axes.tick_params(labelbottom=False, labelleft=False, length=0)


LAYERS = {
    "top": look(BLACK, "none", "o", "top layer"),
    "law": look(BLUE, "none", "s", "layers below"),
    "shuffled": look(PURPLE, "none", "D", "control"),
}
TOKEN = {"markersize": 5, "markeredgecolor": "white", "markeredgewidth": 0.5}
EDGE = {"markeredgecolor": "black", "markeredgewidth": 0.9}


def by_depth(axes, law):
    rows = compared(law)
    rows = rows[rows["architecture"].str.startswith(PLAIN) & rows["quantity"].isin(LAYERS)]
    rows = rows.assign(depth=rows["architecture"].str.removeprefix(PLAIN).astype(int))
    for row in rows.itertuples():
        place = row.depth + 0.12 * (row.layer - (row.depth + 1) / 2)
        own = LAYERS[row.quantity] | {"label": None}
        axes.vlines(place, row.low, row.high, color=own["color"], linewidth=0.8)
        axes.plot(place, row.value, markersize=3, **own)
    axes.set(yscale="log", xlabel="number of layers", ylabel=DISTANCE)
    axes.set_ylim(bottom=rows[["value", "low"]].min().min() / 30)  # room for the legend
    axes.set_xticks(sorted(rows["depth"].unique()))
    for own in LAYERS.values():
        axes.plot([], [], **own)
    axes.legend(loc="lower right", handlelength=1)
    axes.set_title("Each layer goes to\nthe SVM of its place", loc="left", weight="bold", fontsize="medium")


def legend(figure, own):
    inputs = sorted(int(i) for i in own["input"].unique())
    looks = [
        *(look(colour(i), "none", marker(i), f"input {i}", **TOKEN) for i in inputs),
        look(GREY, "none", "o", "selected by a row that counts", markersize=5, **EDGE),
        look(GREY, "none", "*", "selected at the top", markersize=10, **EDGE),
        look(GREY, label="boundary of the trained layer", linewidth=1.0),
        look(GREY, label="of its SVM", linewidth=5, alpha=0.28),
    ]
    handles = [Line2D([], [], **one) for one in looks]
    figure.legend(handles=handles, loc="outside lower center", ncols=-(-len(handles) // 2), handlelength=1.6)
