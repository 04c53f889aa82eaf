"""The first token of an input as its query, against a separate query: convergence above, how runs end below."""

from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.plots.shares import LOOKS, SPREAD, logarithmic
from attnsvm.plots.style import COLOUR, DASHES, GREY, NAME, band, sheet, title

CROSS = {"linestyle": "none", "marker": "o", "markersize": 4.5, "markerfacecolor": "none", "markeredgewidth": 0.7}
TYPES = ("global", "not_local")
EVERY = 0.09  # of the axis between two rings


@sheet(height=0.74)
def draw(figure, table):
    """Draw from the rows of the four experiments, told apart by `experiment`."""
    rows = {name: group.dropna(axis=1, how="all") for name, group in table.groupby("experiment")}
    shapes = list(rows["self_convergence_types"].groupby(["n", "T"], sort=False))
    above, below = figure.subfigures(2, 1, height_ratios=(1.1, 1))
    for axes, letter, name in zip(above.subplots(1, 2, sharey=True), "ab", ("W", "KQ"), strict=True):
        _correlations(axes, rows["self_local_convergence"], rows["local_convergence"], name)
        title(axes, letter, f"{NAME[name]} trained")
    above.axes[0].set(ylabel="correlation")
    panels = below.subplots(1, 2 * len(shapes), sharex=True, sharey=True, squeeze=False)[0]
    places = [(n, T, name) for (n, T), _ in shapes for name in ("W", "KQ")]
    for axes, letter, (n, T, name) in zip(panels, "cdefghij", places, strict=False):
        for kind in TYPES:
            _shares(axes, kind, (rows["self_convergence_types"], rows["convergence_types"]), (n, T, name))
        axes.set(xlabel="dimension $d$", ylim=(-0.04, 1.04))
        title(axes, letter, f"{NAME[name]}, $n = T = {n:.0f}$")
    panels[0].set(ylabel="share of runs")
    logarithmic(panels[0], rows["self_convergence_types"]["d"])
    ring = Line2D([], [], color=GREY, **CROSS, label="cross-attention")
    line = Line2D([], [], color=GREY, label="self-attention")
    count = rows["self_local_convergence"]["instances"].max()
    words = f"lines: mean and middle 68 % of {count:.0f} instances"
    above.legend(handles=[line, ring], loc="outside upper center", ncols=2, title=words)
    handles, labels = panels[0].get_legend_handles_labels()
    of = rows["self_convergence_types"]["instances"].max()
    below.legend(handles, labels, loc="outside lower center", ncols=2, title=f"{SPREAD} over {of:.0f}")


def _correlations(axes, own, cross, name: str) -> None:
    for norm, quantity in (("fro", "corr_fro"), ("nuc", "corr_nuc")):
        of = {"parametrisation": name, "quantity": quantity}
        line, other = (where(rows, **of).sort_values("step") for rows in (own, cross))
        look = {"color": COLOUR[norm]}
        label = f"with the {NAME[norm]} solution"
        band(axes, line, "step", linestyle=DASHES[norm], label=label, **look)
        axes.plot(other["step"], other["value"], markevery=EVERY, **CROSS, **look)
    axes.set(xlabel="step")
    axes.margins(x=0.01)
    axes.legend(loc="lower right")


def _shares(axes, kind: str, tables, place) -> None:
    words, look = LOOKS[kind]
    n, T, name = place
    for table, drawn in zip(tables, (look | {"markersize": 2.5, "label": words}, CROSS), strict=True):
        line = where(table, type=kind, parametrisation=name, n=n, T=T).sort_values("d")
        axes.plot(line["d"], line["value"], **({"color": look["color"]} | drawn))
        axes.vlines(line["d"], line["low"], line["high"], color=look["color"], linewidth=0.8, alpha=0.7)
