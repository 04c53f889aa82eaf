"""Several tokens selected: the trained W against W_SVMeq and against the plain SVM solutions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import growing, key, look, panel
from attnsvm.plots.style import BLACK, GREEN, ORANGE, PURPLE, sheet, title

RING = {"markerfacecolor": "none", "markeredgewidth": 0.7}
SOLUTIONS = {
    "one_token": look(ORANGE, "-.", "^", "one-token SVM"),
    "mm": look(GREEN, "--", "s", r"$W_{\mathrm{mm}}$"),
    "svmeq": look(PURPLE, "-", label=r"$W_{\mathrm{SVMeq}}$, $C$ fitted"),
    # Rings on the line: where the two agree, both are seen.
    "svmeq_norm": look(BLACK, "none", "o", r"$W_{\mathrm{SVMeq}}$, $C$ from $\|W\|$", **RING),
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@sheet(height=0.68)
def draw(figure, table):
    """Draw from rows (d, panel, solution, step, value, unselected_max, seed, accepted, tried)."""
    dimensions = list(table.groupby("d"))
    upper, lower = figure.subfigures(2, 1)
    top, ends = upper.subplots(1, len(dimensions), sharex=True, sharey=True, squeeze=False)[0], lower.subplots()
    for k, (curve, (d, rows)) in enumerate(zip(top, dimensions, strict=True)):
        _curves(curve, _positive(where(rows, panel="curve"), "value"))
        first, last = rows.iloc[0], _positive(where(rows, panel="scatter"), "value", "unselected_max")
        title(curve, LETTERS[k], f"$d = {d}$\n{first['accepted']:,.0f} of {first['tried']:,.0f} seeds")
        marks = growing(k) | {"linestyle": "none", "markersize": 2.5, "alpha": 0.5, "markeredgewidth": 0}
        ends.plot(last["unselected_max"], last["value"], label=f"$d = {d}$", **marks)
    top[0].set(ylabel="1 − correlation,\nmean over instances")
    key(figure, top[0], above=True, ncols=4)
    words = {"xlabel": "largest unselected softmax probability", "ylabel": "1 − correlation, last step"}
    legend = {"loc": "upper left", "ncols": 2, "markerscale": 2}
    panel(ends, LETTERS[len(dimensions)], "every instance, $C$ fitted", "xy", legend, **words)


def _positive(rows, *columns: str):
    """The values that a logarithmic axis can show: rounding leaves some at or below zero."""
    return rows[(rows[list(columns)] > 0).all(axis=1)]


def _curves(axes, rows) -> None:
    for solution, own in SOLUTIONS.items():
        line = where(rows, solution=solution).sort_values("step")
        axes.plot(line["step"], line["value"], **own, markersize=3.5, markevery=0.12)
    axes.set(yscale="log", xlabel="step")
