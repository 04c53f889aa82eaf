"""How well three rules predict the weight of what a head selects on longer texts, and how fast its odds fall."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, bars, sheet, title

RULES = {"no change": (BLUE, "o"), "dilution": (VERMILLION, "s"), "entropy": (ORANGE, "^")}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (rule, length, quantity, value, low, high, instances, interval)."""
    error, slope = figure.subplots(1, 2)
    for shift, (rule, (colour, mark)) in enumerate(RULES.items()):
        rows = where(table, rule=rule, quantity="error")
        places = [k + 0.12 * (shift - 1) for k in range(len(rows))]
        error.errorbar(places, rows["value"], bars(rows), fmt=mark, color=colour, label=rule)
        error.set_xticks(range(len(rows)), [f"{length:.0f}" for length in rows["length"]])
    error.set(xlabel="length T", ylabel="error of the predicted weight", ylim=(0, None))
    error.legend()
    rows = where(table, quantity="slope")
    slope.errorbar(range(len(rows)), rows["value"], bars(rows), fmt="o", color=BLUE, label="measured")
    slope.axhline(-1, color=GREY, linestyle="--", linewidth=0.8, label="dilution")
    slope.set_xticks(range(len(rows)), [f"{length:.0f}" for length in rows["length"]])
    slope.set(xlabel="length T", ylabel="change of the log-odds per e-fold", ylim=(-1.1, 0.1))
    slope.legend()
    title(error, "a", "three predictions")
    title(slope, "b", "how fast the odds fall")
