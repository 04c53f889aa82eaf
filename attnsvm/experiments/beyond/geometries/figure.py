"""The matrix rule × norm of the margin ratio, and how its diagonal goes to one."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

NAME = {
    "l1": r"$\ell_1$",
    "l1.75": r"$\ell_{1.75}$",
    "fro": "Frobenius",
    "l3": r"$\ell_3$",
    "linf": "max",
    "spectral": "spectral",
    "nuc": "nuclear",
    "rowmax": "largest row",
    "rowsum": "sum of rows",
}
LOOKS = {
    "l1": (GREEN, (0, (1, 1))),
    "l1.75": (PURPLE, (0, (4, 1.5, 1, 1.5))),
    "fro": (BLUE, "-"),
    "l3": (SKY, (0, (2, 1))),
    "linf": (ORANGE, "-."),
    "spectral": (BLACK, "-"),
    "nuc": (VERMILLION, "--"),
    "rowmax": (GREEN, "-"),
    "rowsum": (GREY, (0, (6, 1.2, 1, 1.2, 1, 1.2))),
}
SHARES = {("trained", "row"): ("o", -0.24), ("trained", "column"): ("s", -0.08)}
SHARES |= {("untrained", "row"): ("o", 0.08), ("untrained", "column"): ("s", 0.24)}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (quantity, kind, step, rule, norm, value, low, high, instances)."""
    order = list(table.loc[table["quantity"] == "ratio", "rule"].unique())
    end = table[table["step"] == table["step"].max()]
    matrix, shares, way = figure.subplots(1, 3, width_ratios=(1.5, 0.52, 1.05))
    _matrix(matrix, end[(end["quantity"] == "ratio") & (end["kind"] == "trained")], order)
    _shares(shares, end[end["quantity"].isin(["row", "column"])], order)
    _way(way, table[(table["kind"] == "trained") & (table["quantity"] == "ratio")], order)
    count = int(table["instances"].max())
    words = f"(a, c) medians over {count} instances, (c) band: quartiles; (b) bars: 95 % Wilson intervals"
    note = figure.legend(*shares.get_legend_handles_labels(), loc="outside lower center", ncols=4, handletextpad=0.2)
    note.set_title(words)
    note.get_title().set_color(GREY)


def _matrix(axes, rows, order) -> None:
    """The medians as colours and numbers; the norm of the rule is framed."""
    values = rows.pivot(index="rule", columns="norm", values="value").loc[order, order].to_numpy()
    axes.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for r, c in np.ndindex(values.shape):
        dark = values[r, c] < 0.55
        look = {"color": "w" if dark else "k", "weight": "bold" if r == c else "normal"}
        text = _short(values[r, c])
        axes.text(c, r, text, ha="center", va="center", size="small" if len(text) > 3 else None, **look)
    for k in range(len(order)):
        axes.add_patch(Rectangle((k - 0.5, k - 0.5), 1, 1, fill=False, edgecolor=VERMILLION, linewidth=1.8, zorder=3))
    names = [NAME.get(norm, norm) for norm in order]
    axes.set_xticks(range(len(order)), names, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), names)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set(xlabel="norm in which the margin is measured", ylabel="rule: steepest descent in this norm")
    title(axes, "a", "margin reached, best = 1")


def _short(value: float) -> str:
    """Two digits after the point; a third one, cut and not rounded, where two digits would read as one."""
    text = f"{value:.2f}"
    if text == "1.00" and value < 1:
        text = f"{math.floor(1000 * value) / 1000:.3f}"
    return text.lstrip("0")


def _shares(axes, rows, order) -> None:
    """The share of instances in which the norm of the rule, or the rule of the norm, is the largest."""
    for (kind, quantity), (marker, shift) in SHARES.items():
        own = rows[(rows["kind"] == kind) & (rows["quantity"] == quantity)].set_index("rule").loc[order]
        y = np.arange(len(order)) + shift
        look = {"color": VERMILLION if kind == "trained" else GREY}
        axes.hlines(y, own["low"], own["high"], linewidth=0.9, **look)
        face = look["color"] if kind == "trained" else "w"
        label = f"{kind}, in its {quantity}"
        axes.plot(own["value"], y, marker, markersize=3, markerfacecolor=face, label=label, linestyle="none", **look)
    axes.set(xlim=(-0.04, 1.04), ylim=(len(order) - 0.5, -0.5), xlabel="share of instances")
    axes.set_yticks(range(len(order)), [])
    title(axes, "b", "how often ahead")


def _way(axes, rows, order) -> None:
    for rule in order:
        own = rows[(rows["rule"] == rule) & (rows["norm"] == rule)].sort_values("step")
        colour, dashes = LOOKS.get(rule, (GREY, "-"))
        missing = 1 - own[["value", "low", "high"]]
        axes.fill_between(own["step"], missing["high"], missing["low"], color=colour, alpha=0.12, linewidth=0)
        axes.plot(own["step"], missing["value"], color=colour, linestyle=dashes, label=NAME.get(rule, rule))
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − margin ratio in the own norm")
    axes.set_ylim(top=2)
    axes.margins(x=0)
    axes.legend(loc="lower left", title="rule", fontsize="small", handlelength=2.0, labelspacing=0.2, borderpad=0.1)
    title(axes, "c", "the diagonal goes to one")
