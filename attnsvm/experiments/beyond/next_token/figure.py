"""Next tokens: descent that stalls as published goes on with the gradient split, and to which SVM it goes."""

from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.panels import look, panel
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, band, sheet

PRINTED = ((0.976, 0.993), (0.992, 0.9995))  # the published correlations, of (a) and (b)
FAR = "1 − correlation with\n" + r"$W_{\mathrm{fin}} + C\,W_{\mathrm{mm}}$"
PANELS = (
    (r"loss $-\log u$", FAR),
    (r"loss $(1-u)^2$, graphs with a cycle", FAR),
    (r"inside the components, loss $-\log u$", r"distance to $W_{\mathrm{fin}}$"),
    (r"$(K, Q)$ trained, loss $-\log u$", FAR),
)
LOOKS = {
    "published": look(VERMILLION, (0, (3.2, 1.4))),
    "split": look(BLUE, "-"),
    "acyclic": look(GREEN, "-."),
    "even": look(ORANGE, (0, (1, 1))),
    "fro": look(PURPLE, (0, (1, 1))),
}
SMALLEST = 1e-16  # below it a distance is rounding


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (graphs, loss, parametrisation, rule, solution, quantity, step, value, low, high, ...)."""
    (a, b), (c, d) = figure.subplots(2, 2)
    cyclic, acyclic = (where(table, graphs=kind, interval=QUARTILES) for kind in ("cyclic", "acyclic"))
    nll = {"loss": "nll", "parametrisation": "W", "solution": "fro", "quantity": "ahead"}
    _line(a, cyclic, "published", "as published", rule="published", **nll)
    _line(a, cyclic, "split", "split", rule="split", **nll)
    _line(a, acyclic, "acyclic", "split, no cycle", rule="split", **nll)
    squared = {"loss": "squared", "parametrisation": "W", "quantity": "ahead"}
    _line(b, cyclic, "published", "as published, margin 1", rule="published", solution="fro", **squared)
    _line(b, cyclic, "even", "split, margin 1", rule="split", solution="fro", **squared)
    _line(b, cyclic, "split", "split, margins 1 and ½", rule="split", solution="graded", **squared)
    inside = {"loss": "nll", "parametrisation": "W", "solution": "fin", "quantity": "inside"}
    _line(c, cyclic, "published", "as published", rule="published", **inside)
    _line(c, cyclic, "split", "split", rule="split", **inside)
    factors = {"loss": "nll", "parametrisation": "KQ", "quantity": "ahead", "rule": "split"}
    _line(d, cyclic, "split", "nuclear norm", solution="nuc", **factors)
    _line(d, acyclic, "acyclic", "nuclear norm, no cycle", solution="nuc", **factors)
    _line(d, cyclic, "fro", "Frobenius norm", solution="fro", **factors)
    for axes, (low, high) in zip((a, b), PRINTED, strict=True):
        axes.axhspan(1 - high, 1 - low, color=GREY, alpha=0.3, linewidth=0)
    for letter, axes, (words, measured) in zip("abcd", (a, b, c, d), PANELS, strict=True):
        panel(axes, letter, words, "xy", "lower left", xlabel="step", ylabel=measured)
    handle = Line2D([], [], color=GREY, linewidth=6, alpha=0.3)
    figure.legend([handle], ["published correlations; lines: medians, bands: quartiles"], loc="outside upper center")


def _line(axes, table, name, label, **values):
    rows = where(table, **values).sort_values("step")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].clip(lower=SMALLEST)
    band(axes, rows, "step", label=label, **LOOKS[name])
