"""A query at every position: the trained W against the SVM constrained at every position."""

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MIDDLE
from attnsvm.plots.panels import lines, look, panel
from attnsvm.plots.style import COLOUR, DASHES, NAME, sheet

NAMES = {"sequence": "every token competes", "causal": "tokens up to the query compete"}
LOOKS = {
    name: look(COLOUR[name], DASHES[name], label=f"{NAME[name]}, {norm} solution")
    for name, norm in (("W", "Frobenius"), ("KQ", "nuclear"))
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (attention, parametrisation, step, value, low, high, instances, interval)."""
    row = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, (attention, words) in zip(row, "ab", NAMES.items(), strict=True):
        lines(axes, where(table, attention=attention, interval=MIDDLE), "step", "parametrisation", LOOKS)
        axes.margins(x=0)
        axes.set_ylim(top=1.04)
        panel(axes, letter, f"{attention}: {words}", "x", "lower right", xlabel="step")
    row[0].set(ylabel="correlation coefficient")
    low, high = table["instances"].min(), table["instances"].max()
    many = f"{low}" if low == high else f"{low} to {high}"
    figure.supxlabel(f"line: mean, band: the middle 68 % of {many} instances", fontsize="small")
