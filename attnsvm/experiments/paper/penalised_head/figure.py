"""A head that prefers mixtures: how many tokens are selected, and which solution predicts the trained W."""

from itertools import chain

from attnsvm.analysis.medians import quartiles
from attnsvm.analysis.rows import where
from attnsvm.plots.panels import look, panel
from attnsvm.plots.style import BLACK, GREEN, PURPLE, SKY, band, sheet

SOLUTIONS = {
    "svmeq": look(PURPLE, "-", "o", r"$W_{\mathrm{SVMeq}}$"),
    "mm": look(GREEN, "--", "s", r"$W_{\mathrm{mm}}$"),
}
FLOOR = 1e-5  # what is less is drawn there: where every token is selected, W_SVMeq is exact


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (lambda, selected, optimal, distance, solution, value, seed)."""
    counts, by_penalty, by_count = figure.subplots(1, 3)
    groups = where(table, solution="svmeq").groupby("lambda")
    selected = quartiles(groups["selected"], mean="mean")
    own = look(SKY, marker="o", label="selected, mean", markersize=3)
    band(counts, selected.assign(value=selected["mean"]), "lambda", alpha=0.25, **own)
    best = groups["optimal"].mean()
    counts.plot(best.index, best, color=BLACK, linestyle=":", label="closed form, mean")
    penalty, words = r"penalty $\lambda$", "number of selected tokens"
    panel(counts, "a", words, "x", xlabel=penalty, ylabel="tokens of an input", ylim=(0, None))
    _predictivity(by_penalty, table, table["lambda"])
    panel(by_penalty, "b", "versus the penalty", "x", xlabel=penalty, ylabel="1 − correlation with trained $W$")
    _predictivity(by_count, table, table["selected"].round().astype(int))
    by_count.sharey(by_penalty)
    panel(by_count, "c", "versus that number", xlabel=words)
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
    for solution, own in SOLUTIONS.items():
        rows = quartiles(where(table.assign(key=key), solution=solution).groupby("key")["value"])
        rows[["value", "low", "high"]] = rows[["value", "low", "high"]].clip(lower=FLOOR)
        band(axes, rows, "key", markersize=3, **own)
        few = rows[rows["instances"] < table["seed"].nunique() / 2]
        hollow = own | {"linestyle": "none", "markerfacecolor": "white", "label": None}
        axes.plot(few["key"], few["value"], markersize=3, **hollow)
    axes.set(yscale="log")
