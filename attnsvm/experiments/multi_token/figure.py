"""Several tokens selected: the trained W against W^SVMeq and against the plain SVM solutions."""

from matplotlib.ticker import LogLocator

from attnsvm.plots.style import BLUE, GREEN, PURPLE, VERMILLION, canvas

SOLUTIONS = {
    "svmeq": (r"$W^{\mathrm{SVMeq}}$, $C$ fitted", {"color": BLUE, "linestyle": "-", "marker": "o"}),
    "svmeq_norm": (r"$W^{\mathrm{SVMeq}}$, $C$ from $\|W\|$", {"color": PURPLE, "linestyle": ":", "marker": "D"}),
    "mm": (r"$W^{\mathrm{mm}}$", {"color": VERMILLION, "linestyle": "--", "marker": "s"}),
    "one_token": ("one-token SVM", {"color": GREEN, "linestyle": "-.", "marker": "^"}),
}


def draw(table, settings):
    """Draw from rows (d, panel, solution, step, value, unselected_max, seed, accepted, tried)."""
    dimensions = list(table.groupby("d"))
    with canvas(settings, height=0.56) as figure:
        top, bottom = figure.subplots(2, len(dimensions), sharex="row", sharey="row", squeeze=False)
        for curve, scatter, (d, rows) in zip(top, bottom, dimensions, strict=True):
            _curves(curve, _positive(rows[rows["panel"] == "curve"], "value"))
            _scatter(scatter, _positive(rows[rows["panel"] == "scatter"], "value", "unselected_max"))
            first = rows.iloc[0]
            curve.set_title(f"$d = {d}$\n{first['accepted']:.0f} of {first['tried']:.0f} seeds")
        top[0].set(ylabel="1 − correlation,\nmean over instances")
        bottom[0].set(ylabel=f"1 − correlation,\n{SOLUTIONS['svmeq'][0]}, last step")
        figure.legend(*top[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _positive(rows, *columns: str):
    """What a logarithmic axis can show: rounding leaves some values at or below zero."""
    return rows[(rows[list(columns)] > 0).all(axis=1)]


def _curves(axes, rows) -> None:
    for solution, (label, look) in SOLUTIONS.items():
        line = rows[rows["solution"] == solution].sort_values("step")
        axes.plot(line["step"], line["value"], **look, label=label, markersize=3, markevery=0.12)
    axes.set(yscale="log", xlabel="iterations")


def _scatter(axes, rows) -> None:
    axes.set(xscale="log", yscale="log", xlabel="largest unselected\nsoftmax probability")
    if rows.empty:  # matplotlib finds no limits for nothing on a logarithmic axis
        return
    axes.plot(rows["unselected_max"], rows["value"], ".", color=BLUE, markersize=3, alpha=0.5, markeredgewidth=0)
    axes.set_xlim(right=2e-6)
    axes.xaxis.set_major_locator(LogLocator(numticks=4))
