"""Random starts: the softmax saturates, and each parametrisation goes towards the solution in its norm."""

from matplotlib.patches import Patch

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import panel
from attnsvm.plots.style import COLOUR, DASHES, NAME, band, sheet

CORRELATIONS = {"fro": "corr_fro", "nuc": "corr_nuc"}


@sheet(height=0.37)
def draw(figure, table):
    """Draw from rows (parametrisation, quantity, step, value, low, high, instances, interval)."""
    softmax, *correlations = row = figure.subplots(1, 3)
    for name in ("W", "KQ"):
        _band(softmax, table, name, "softmax", name, f"{NAME[name]} trained")
    panel(softmax, "a", "largest softmax probability", ylabel="probability")
    for axes, letter, name in zip(correlations, "bc", ("W", "KQ"), strict=True):
        for norm, quantity in CORRELATIONS.items():
            _band(axes, table, name, quantity, norm, NAME[norm].removesuffix(" norm"))
        panel(axes, letter, f"{NAME[name]} trained", ylabel="correlation coefficient")
    correlations[1].sharey(correlations[0])
    for axes in row:
        axes.set(xlabel="step")
        axes.set_ylim(top=1.04)
        axes.margins(x=0)
        axes.legend(loc="lower right", title=None if axes is softmax else "with the SVM solution")
    low, high = table["instances"].min(), table["instances"].max()
    many = f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
    words = f"line: mean, band: the middle 68 % of {many} instance{'' if high == 1 else 's'}"
    figure.legend(handles=[Patch(color="0.8", label=words)], loc="outside lower center")


def _band(axes, table, name: str, quantity: str, key: str, label: str) -> None:
    rows = where(table, parametrisation=name, quantity=quantity).sort_values("step")
    band(axes, rows, "step", color=COLOUR[key], linestyle=DASHES[key], label=label)
