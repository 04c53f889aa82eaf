"""Distance to the SVM direction over many steps: the published normalisation against one free of underflow."""

from matplotlib.patches import Patch

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.panels import lines, panel
from attnsvm.plots.style import COLOUR, NAME, sheet

LOOKS = {
    "published": {"linestyle": (0, (1.2, 1.2)), "label": "published normalisation"},
    "exact": {"linestyle": "-", "label": "exact normalisation"},
}
SOLUTION = {"W": "Frobenius", "KQ": "nuclear"}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (normalisation, parametrisation, step, value, low, high, instances, interval)."""
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, parametrisation in zip(panels, "ab", SOLUTION, strict=True):
        rows = where(table, parametrisation=parametrisation, interval=QUARTILES)
        lines(axes, rows, "step", "normalisation", LOOKS, alpha=0.15, color=COLOUR[parametrisation])
        axes.margins(x=0)
        words = f"{NAME[parametrisation]} trained, {SOLUTION[parametrisation]} solution"
        panel(axes, letter, words, "xy", "lower left", xlabel="step")
    panels[0].set(ylabel="1 − correlation coefficient")
    count = int(table["instances"].max())
    spread = Patch(color="0.8", label=f"line: median, band: quartiles over {count} instances")
    figure.legend(handles=[spread], loc="outside lower center")
