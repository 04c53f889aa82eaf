"""Share of instances whose tokens can be separated, versus the dimension, and the dimension from which all can."""

from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import growing, look, panel
from attnsvm.plots.style import GREY, sheet

RING = {"linestyle": "none", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 0.7}
LOOKS = {
    "optimal": ("optimal tokens", {"linestyle": "-", "linewidth": 1.2}),
    "random": ("random tokens", {"linestyle": ":", "linewidth": 1.2}),
    "worst": ("worst tokens", RING),
}
PANELS = {"cross": "cross-attention", "self": "self-attention"}
BOUND = 1.09  # height of the marks of the bound


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (n, T, d, attention, alpha, value, low, high, instances, interval)."""
    shapes = list(table[["n", "T"]].drop_duplicates().itertuples(index=False))
    looks = [growing(k) | {"markersize": 3.5} for k in range(len(shapes))]
    row = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, (attention, words) in zip(row, "ab", PANELS.items(), strict=True):
        for k, ((n, T), size) in enumerate(zip(shapes, looks, strict=True)):
            for alpha, (_, own) in LOOKS.items():
                line = where(table, n=n, T=T, attention=attention, alpha=alpha).sort_values("d")
                axes.plot(line["d"], line["value"], **(size | own))
                axes.vlines(line["d"], line["low"], line["high"], color=size["color"], linewidth=0.8, alpha=0.7)
            beside = 0.12 * (k - (len(shapes) - 1) / 2)  # two shapes may have one bound
            axes.plot([max(T - 1, n) + beside], [BOUND], color=size["color"], marker="v", markersize=5)
        panel(axes, letter, words, xlabel="dimension $d$", ylim=(-0.04, 1.14))
        axes.xaxis.set_major_locator(MultipleLocator(2))
    row[0].set(ylabel="share with a separator")
    lines = [Line2D([], [], **size, label=f"$n = {n}$, $T = {T}$") for (n, T), size in zip(shapes, looks, strict=True)]
    row[1].legend(handles=lines, loc="lower right")
    interval = f"95 % Wilson interval, {table['instances'].max()} instances"
    marked = look(GREY, marker="o", markersize=3.5)
    meanings = [
        *(marked | own | {"label": words} for words, own in LOOKS.values()),
        look(GREY, "none", "v", "bound $\\max(T - 1, n)$"),
        look(GREY, "none", "|", interval, markersize=8),
    ]
    figure.legend(handles=[Line2D([], [], **one) for one in meanings], loc="outside upper center", ncols=3)
