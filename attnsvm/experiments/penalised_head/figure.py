"""A head that prefers mixtures: how many tokens are selected, and which solution predicts the trained W."""

from itertools import chain

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, VERMILLION, canvas, title

SOLUTIONS = {
    "svmeq": (r"$W^{\mathrm{SVMeq}}$", {"color": BLUE, "linestyle": "-", "marker": "o"}),
    "mm": (r"$W^{\mathrm{mm}}$", {"color": VERMILLION, "linestyle": "--", "marker": "s"}),
}
FLOOR = 1e-5  # lower end of the logarithmic axis: where every token is selected, W_SVMeq is exact


def draw(table, settings):
    """Draw from rows (lambda, selected, optimal, distance, solution, value, seed)."""
    with canvas(settings, height=0.4) as figure:
        counts, by_penalty, by_count = figure.subplots(1, 3)
        once = table[table["solution"] == "svmeq"]
        groups = once.groupby("lambda")
        mean, std = groups["selected"].mean(), groups["selected"].std(ddof=0)
        counts.fill_between(mean.index, mean - std, mean + std, color=GREEN, alpha=0.18, linewidth=0)
        counts.plot(mean.index, mean, color=GREEN, marker="o", markersize=3, label="selected, mean ± std")
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
        by_penalty.set_ylim(bottom=FLOOR)
        entries = [axes.get_legend_handles_labels() for axes in (counts, by_penalty)]
        handles, labels = (list(chain(*parts)) for parts in zip(*entries, strict=True))
        note = figure.legend(handles, labels, loc="outside upper center", ncols=4)
        note.set_title(f"(b, c) line: median, band: quartiles, {table['seed'].nunique()} instances")
    return figure


def _predictivity(axes, table, key) -> None:
    for solution, (label, look) in SOLUTIONS.items():
        own = table["solution"] == solution
        groups = table[own]["value"].groupby(key[own])
        low, middle, high = (np.maximum(groups.quantile(q), FLOOR / 10) for q in (0.25, 0.5, 0.75))
        axes.fill_between(middle.index, low, high, color=look["color"], alpha=0.18, linewidth=0)
        axes.plot(middle.index, middle, markersize=3, label=label, **look)
    axes.set(yscale="log")
