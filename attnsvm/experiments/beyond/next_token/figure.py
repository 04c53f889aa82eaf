"""Next tokens: descent that stalls as published goes on with the gradient split, and to which SVM it goes."""

from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, band, sheet, title

PRINTED = {"nll": (0.976, 0.993), "squared": (0.992, 0.9995)}  # the published correlations
LOOKS = {
    "published": {"color": VERMILLION, "linestyle": (0, (3.2, 1.4))},
    "split": {"color": BLUE, "linestyle": "-"},
    "acyclic": {"color": GREEN, "linestyle": "-."},
    "even": {"color": ORANGE, "linestyle": (0, (1, 1))},
    "fro": {"color": PURPLE, "linestyle": (0, (1, 1))},
}
SMALLEST = 1e-16  # below it a distance is rounding


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (graphs, loss, parametrisation, rule, solution, quantity, step, value, low, high, ...)."""
    (a, b), (c, d) = figure.subplots(2, 2)
    cyclic, acyclic = (table[table["graphs"] == kind] for kind in ("cyclic", "acyclic"))
    nll = {"loss": "nll", "parametrisation": "W", "solution": "fro", "quantity": "ahead"}
    _line(a, cyclic, "published", "as published", rule="published", **nll)
    _line(a, cyclic, "split", "split", rule="split", **nll)
    _line(a, acyclic, "acyclic", "split, no cycle", rule="split", **nll)
    _printed(a, "nll")
    title(a, "a", r"loss $-\log u$")

    squared = {"loss": "squared", "parametrisation": "W", "quantity": "ahead"}
    _line(b, cyclic, "published", "as published, margin 1", rule="published", solution="fro", **squared)
    _line(b, cyclic, "even", "split, margin 1", rule="split", solution="fro", **squared)
    _line(b, cyclic, "split", "split, margins 1 and ½", rule="split", solution="graded", **squared)
    _printed(b, "squared")
    title(b, "b", r"loss $(1-u)^2$, graphs with a cycle")

    inside = {"loss": "nll", "parametrisation": "W", "solution": "fin", "quantity": "inside"}
    _line(c, cyclic, "published", "as published", rule="published", **inside)
    _line(c, cyclic, "split", "split", rule="split", **inside)
    title(c, "c", r"inside the components, loss $-\log u$")

    factors = {"loss": "nll", "parametrisation": "KQ", "quantity": "ahead", "rule": "split"}
    _line(d, cyclic, "split", "nuclear norm", solution="nuc", **factors)
    _line(d, acyclic, "acyclic", "nuclear norm, no cycle", solution="nuc", **factors)
    _line(d, cyclic, "fro", "Frobenius norm", solution="fro", **factors)
    title(d, "d", r"$(K, Q)$ trained, loss $-\log u$")
    for axes in (a, b, c, d):
        axes.set(xscale="log", yscale="log", xlabel="step")
        axes.legend(loc="lower left")
    for axes in (a, b, d):
        axes.set_ylabel("1 − correlation with\n" + r"$W_{\mathrm{fin}} + C\,W_{\mathrm{mm}}$")
    c.set_ylabel(r"distance to $W_{\mathrm{fin}}$")
    handle = Line2D([], [], color=GREY, linewidth=6, alpha=0.3)
    figure.legend([handle], ["published correlations; lines: medians, bands: quartiles"], loc="outside upper center")


def _line(axes, table, look, label, **values):
    rows = where(table, interval=QUARTILES, **values).sort_values("step")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].clip(lower=SMALLEST)
    band(axes, rows, "step", label=label, **LOOKS[look])


def _printed(axes, loss):
    low, high = PRINTED[loss]
    axes.axhspan(1 - high, 1 - low, color=GREY, alpha=0.3, linewidth=0)
