"""The matrix rule × norm of the margin ratio, and how its diagonal goes to one."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from attnsvm.analysis.rows import last, where
from attnsvm.plots.panels import across, key, lines, look, missing, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet

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
    "l1": look(GREEN, (0, (1, 1))),
    "l1.75": look(PURPLE, (0, (4, 1.5, 1, 1.5))),
    "fro": look(BLUE, "-"),
    "l3": look(SKY, (0, (2, 1))),
    "linf": look(ORANGE, "-."),
    "spectral": look(BLACK, "-"),
    "nuc": look(VERMILLION, "--"),
    "rowmax": look(GREEN, "-"),
    "rowsum": look(GREY, (0, (6, 1.2, 1, 1.2, 1, 1.2))),
}
SHARES = {("trained", "row"): ("o", -0.24), ("trained", "column"): ("s", -0.08)}
SHARES |= {("untrained", "row"): ("o", 0.08), ("untrained", "column"): ("s", 0.24)}


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (quantity, kind, step, rule, norm, value, low, high, instances)."""
    order = list(table.loc[table["quantity"] == "ratio", "rule"].unique())
    end = last(table)
    matrix, shares, way = figure.subplots(1, 3, width_ratios=(1.5, 0.52, 1.05))
    _matrix(matrix, where(end, quantity="ratio", kind="trained"), order)
    _shares(shares, end[end["quantity"].isin(["row", "column"])], order)
    rows = where(table, kind="trained", quantity="ratio")
    own = missing(rows[rows["rule"] == rows["norm"]])
    lines(way, own, "step", "rule", looks(order), alpha=0.12)
    panel(way, "c", "the diagonal goes to one", "xy", xlabel="step", ylabel="1 − margin ratio in the own norm")
    way.legend(loc="lower left", title="rule", fontsize="small", handlelength=2.0, labelspacing=0.2, borderpad=0.1)
    way.set_ylim(top=2)
    way.margins(x=0)
    count = int(table["instances"].max())
    words = f"(a, c) medians over {count} instances, (c) band: quartiles; (b) bars: 95 % Wilson intervals"
    key(figure, shares, words, grey=True, ncols=4, handletextpad=0.2)


def looks(order) -> dict:
    """How the lines of the rules look."""
    return {rule: LOOKS.get(rule, look(GREY, "-")) | {"label": NAME.get(rule, rule)} for rule in order}


def _matrix(axes, rows, order) -> None:
    """The medians as colours and numbers; the norm of the rule is framed."""
    values = rows.pivot(index="rule", columns="norm", values="value").loc[order, order].to_numpy()
    axes.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for r, c in np.ndindex(values.shape):
        dark = values[r, c] < 0.55
        own = {"color": "w" if dark else "k", "weight": "bold" if r == c else "normal"}
        text = _short(values[r, c])
        axes.text(c, r, text, ha="center", va="center", size="small" if len(text) > 3 else None, **own)
    for k in range(len(order)):
        axes.add_patch(Rectangle((k - 0.5, k - 0.5), 1, 1, fill=False, edgecolor=VERMILLION, linewidth=1.8, zorder=3))
    names = [NAME.get(norm, norm) for norm in order]
    axes.set_xticks(range(len(order)), names, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), names)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    words = {"xlabel": "norm in which the margin is measured", "ylabel": "rule: steepest descent in this norm"}
    panel(axes, "a", "margin reached, best = 1", **words)


def _short(value: float) -> str:
    """Two digits after the point; a third one, cut and not rounded, where two digits would read as one."""
    text = f"{value:.2f}"
    if text == "1.00" and value < 1:
        text = f"{math.floor(1000 * value) / 1000:.3f}"
    return text.lstrip("0")


def _shares(axes, rows, order) -> None:
    """The share of instances in which the norm of the rule, or the rule of the norm, is the largest."""
    for (kind, quantity), (marker, shift) in SHARES.items():
        own = where(rows, kind=kind, quantity=quantity).set_index("rule").loc[order]
        colour, face = (VERMILLION, VERMILLION) if kind == "trained" else (GREY, "w")
        marks = {"marker": marker, "markersize": 3, "markerfacecolor": face, "label": f"{kind}, in its {quantity}"}
        across(axes, np.arange(len(order)) + shift, own, colour, bar=0.9, **marks)
    rungs(axes, [""] * len(order))
    panel(axes, "b", "how often ahead", xlim=(-0.04, 1.04), xlabel="share of instances")
