"""Several tokens selected: the trained W against W_SVMeq and against the plain SVM solutions."""

from matplotlib.ticker import LogLocator

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, look
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
LONGEST = 20  # characters of a title in one line, of four panels side by side


@sheet(height=0.58)
def draw(figure, table):
    """Draw from rows (d, panel, solution, step, value, unselected_max, seed, accepted, tried)."""
    dimensions = list(table.groupby("d"))
    upper, lower = figure.subfigures(2, 1)
    shared = {"sharex": True, "sharey": True, "squeeze": False}
    top, bottom = (part.subplots(1, len(dimensions), **shared)[0] for part in (upper, lower))
    for k, (curve, scatter, (d, rows)) in enumerate(zip(top, bottom, dimensions, strict=True)):
        _curves(curve, _positive(where(rows, panel="curve"), "value"))
        _scatter(scatter, _positive(where(rows, panel="scatter"), "value", "unselected_max"))
        first = rows.iloc[0]
        title(curve, LETTERS[k], f"$d = {d}$")
        drawn = f"{first['accepted']:,.0f} of {first['tried']:,.0f} seeds"
        title(scatter, LETTERS[len(dimensions) + k], drawn if len(drawn) <= LONGEST else drawn.replace("of ", "of\n"))
    top[0].set(ylabel="1 − correlation,\nmean over instances")
    bottom[0].set(ylabel="1 − correlation,\nlast step")
    key(figure, top[0], above=True, ncols=4)


def _positive(rows, *columns: str):
    """The values that a logarithmic axis can show: rounding leaves some at or below zero."""
    return rows[(rows[list(columns)] > 0).all(axis=1)]


def _curves(axes, rows) -> None:
    for solution, own in SOLUTIONS.items():
        line = where(rows, solution=solution).sort_values("step")
        axes.plot(line["step"], line["value"], **own, markersize=3.5, markevery=0.12)
    axes.set(yscale="log", xlabel="step")


def _scatter(axes, rows) -> None:
    axes.set(xscale="log", yscale="log", xlabel="largest unselected\nsoftmax probability")
    if rows.empty:  # matplotlib finds no limits for nothing on a logarithmic axis
        return
    axes.plot(rows["unselected_max"], rows["value"], ".", color=PURPLE, markersize=3, alpha=0.5, markeredgewidth=0)
    axes.set_xlim(right=2e-6)
    axes.xaxis.set_major_locator(LogLocator(numticks=4))
