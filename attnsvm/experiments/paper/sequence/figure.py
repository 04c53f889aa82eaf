"""A query at every position: the trained W against the SVM constrained at every position."""

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MIDDLE
from attnsvm.plots.style import COLOUR, DASHES, NAME, band, sheet, title

NAMES = {"sequence": "every token competes", "causal": "tokens up to the query compete"}
SOLUTION = {"W": "Frobenius", "KQ": "nuclear"}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (attention, parametrisation, step, value, low, high, instances, interval)."""
    row = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, (attention, words) in zip(row, "ab", NAMES.items(), strict=True):
        for name, solution in SOLUTION.items():
            own = (table["attention"] == attention) & (table["parametrisation"] == name)
            line = where(table[own], interval=MIDDLE).sort_values("step")
            label = f"{NAME[name]}, {solution} solution"
            band(axes, line, "step", color=COLOUR[name], linestyle=DASHES[name], label=label)
        axes.set(xscale="log", xlabel="step")
        axes.margins(x=0)
        axes.set_ylim(top=1.04)
        axes.legend(loc="lower right")
        title(axes, letter, f"{attention}: {words}")
    row[0].set(ylabel="correlation coefficient")
    low, high = table["instances"].min(), table["instances"].max()
    many = f"{low}" if low == high else f"{low} to {high}"
    figure.supxlabel(f"line: mean, band: the middle 68 % of {many} instances", fontsize="small")
