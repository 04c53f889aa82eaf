"""Distance to the SVM direction over many steps: the published normalisation against one free of underflow."""

from matplotlib.patches import Patch

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.style import COLOUR, NAME, band, sheet, title

LINES = {"published": (0, (1.2, 1.2)), "exact": "-"}
SOLUTION = {"W": "Frobenius", "KQ": "nuclear"}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (normalisation, parametrisation, step, value, low, high, instances, interval)."""
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, parametrisation in zip(panels, "ab", SOLUTION, strict=True):
        for normalisation, line in LINES.items():
            own = (table["parametrisation"] == parametrisation) & (table["normalisation"] == normalisation)
            rows = where(table[own], interval=QUARTILES).sort_values("step")
            look = {"color": COLOUR[parametrisation], "linestyle": line, "label": f"{normalisation} normalisation"}
            band(axes, rows, "step", alpha=0.15, **look)
        axes.set(xscale="log", yscale="log", xlabel="step")
        axes.margins(x=0)
        axes.legend(loc="lower left")
        title(axes, letter, f"{NAME[parametrisation]} trained, {SOLUTION[parametrisation]} solution")
    panels[0].set(ylabel="1 − correlation coefficient")
    count = int(table["instances"].max())
    spread = Patch(color="0.8", label=f"line: median, band: quartiles over {count} instances")
    figure.legend(handles=[spread], loc="outside lower center")
