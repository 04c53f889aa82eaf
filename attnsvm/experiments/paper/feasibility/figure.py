"""Share of instances whose tokens can be separated, versus the dimension, and the dimension from which all can."""

from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from attnsvm.plots.style import GREY, MARKERS, SIZES, sheet, title

LOOKS = {
    "optimal": ("optimal tokens", {"linestyle": "-", "linewidth": 1.2}),
    "random": ("random tokens", {"linestyle": ":", "linewidth": 1.2}),
    "worst": (
        "worst tokens",
        {"linestyle": "none", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 0.7},
    ),
}
PANELS = {"cross": "cross-attention", "self": "self-attention"}
BOUND = 1.09  # height of the marks of the bound


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (n, T, d, attention, alpha, value, low, high, instances, interval)."""
    shapes = list(table[["n", "T"]].drop_duplicates().itertuples(index=False))
    looks = [
        {"color": SIZES[k % len(SIZES)], "marker": MARKERS[k % len(MARKERS)], "markersize": 3.5}
        for k in range(len(shapes))
    ]
    row = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, (attention, words) in zip(row, "ab", PANELS.items(), strict=True):
        for k, ((n, T), look) in enumerate(zip(shapes, looks, strict=True)):
            own = table[(table["n"] == n) & (table["T"] == T) & (table["attention"] == attention)]
            _shares(axes, own, look)
            beside = 0.12 * (k - (len(shapes) - 1) / 2)  # two shapes may have one bound
            axes.plot([max(T - 1, n) + beside], [BOUND], color=look["color"], marker="v", markersize=5)
        title(axes, letter, words)
        axes.set(xlabel="dimension $d$", ylim=(-0.04, 1.14))
        axes.xaxis.set_major_locator(MultipleLocator(2))
    row[0].set(ylabel="share with a separator")
    lines = [Line2D([], [], **look, label=f"$n = {n}$, $T = {T}$") for (n, T), look in zip(shapes, looks, strict=True)]
    row[1].legend(handles=lines, loc="lower right")
    figure.legend(handles=_meanings(table["instances"].max()), loc="outside upper center", ncols=3)


def _shares(axes, rows, look: dict) -> None:
    for alpha, (_, own) in LOOKS.items():
        line = rows[rows["alpha"] == alpha].sort_values("d")
        axes.plot(line["d"], line["value"], **(look | own))
        axes.vlines(line["d"], line["low"], line["high"], color=look["color"], linewidth=0.8, alpha=0.7)


def _meanings(instances) -> list[Line2D]:
    marked = {"color": GREY, "marker": "o", "markersize": 3.5}
    return [
        *(Line2D([], [], **(marked | own), label=words) for words, own in LOOKS.values()),
        Line2D([], [], color=GREY, marker="v", linestyle="none", label="bound $\\max(T - 1, n)$"),
        Line2D(
            [],
            [],
            color=GREY,
            marker="|",
            linestyle="none",
            markersize=8,
            label=f"95 % Wilson interval, {instances} instances",
        ),
    ]
