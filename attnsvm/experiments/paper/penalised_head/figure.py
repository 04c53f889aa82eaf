"""A head that prefers mixtures: how many tokens are selected, and which solution predicts the trained W."""

from itertools import chain

import numpy as np

from attnsvm.analysis.medians import quartiles
from attnsvm.plots.style import BLACK, GREEN, PURPLE, SKY, band, sheet, title

SOLUTIONS = {
    "svmeq": (r"$W_{\mathrm{SVMeq}}$", {"color": PURPLE, "linestyle": "-", "marker": "o"}),
    "mm": (r"$W_{\mathrm{mm}}$", {"color": GREEN, "linestyle": "--", "marker": "s"}),
}
FLOOR = 1e-5  # what is less is drawn there: where every token is selected, W_SVMeq is exact


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (lambda, selected, optimal, distance, solution, value, seed)."""
    counts, by_penalty, by_count = figure.subplots(1, 3)
    once = table[table["solution"] == "svmeq"]
    groups = once.groupby("lambda")
    look = {"color": SKY, "marker": "o", "markersize": 3, "label": "selected, mean"}
    selected = quartiles(groups["selected"], mean="mean")
    band(counts, selected.assign(value=selected["mean"]), "lambda", alpha=0.25, **look)
    best = groups["optimal"].mean()
    counts.plot(best.index, best, color=BLACK, linestyle=":", label="closed form, mean")
    counts.set(xscale="log", xlabel=r"penalty $\lambda$", ylabel="tokens of an input", ylim=(0, None))
    title(counts, "a", "number of selected tokens")
    _predictivity(by_penalty, table, table["lambda"])
    by_penalty.set(xscale="log", xlabel=r"penalty $\lambda$", ylabel="1 − correlation with trained $W$")
    title(by_penalty, "b", "versus the penalty")
    _predictivity(by_count, table, table["selected"].round().astype(int))
    by_count.set(xlabel="number of selected tokens")
    by_count.sharey(by_penalty)
    title(by_count, "c", "versus that number")
    by_penalty.set_ylim(bottom=0.7 * FLOOR)
    by_penalty.set_yticks(
        [FLOOR, 1e-4, 1e-3, 1e-2, 1e-1], [r"$\leq 10^{-5}$", *(f"$10^{{-{k}}}$" for k in (4, 3, 2, 1))]
    )
    entries = [axes.get_legend_handles_labels() for axes in (counts, by_penalty)]
    handles, labels = (list(chain(*parts)) for parts in zip(*entries, strict=True))
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    count = table["seed"].nunique()
    words = f"band: quartiles; (b, c) line: median over {count} instances, hollow: over fewer than half of them"
    figure.supxlabel(words, fontsize="small")


def _predictivity(axes, table, key) -> None:
    for solution, (label, look) in SOLUTIONS.items():
        own = table["solution"] == solution
        groups = table[own]["value"].groupby(key[own])
        low, middle, high = (np.maximum(groups.quantile(q), FLOOR) for q in (0.25, 0.5, 0.75))
        few = groups.size() < table["seed"].nunique() / 2
        axes.fill_between(middle.index, low, high, color=look["color"], alpha=0.18, linewidth=0)
        axes.plot(middle.index, middle, markersize=3, label=label, **look)
        hollow = look | {"linestyle": "none", "markerfacecolor": "white"}
        axes.plot(middle.index[few], middle[few], markersize=3, **hollow)
    axes.set(yscale="log")
