"""The growth of the nuclear norm as the decay vanishes, and the columns that the nuclear norm needs."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import limit, panel
from attnsvm.plots.style import BLACK, BLUE, ORANGE, band, bars, sheet


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, decay, quantity, value, low, high, instances, interval)."""
    size, columns = figure.subplots(1, 2)
    for run, colour, line in (("all columns", BLUE, "-"), ("one matrix", ORANGE, "--")):
        rows = where(table, run=run, quantity="growth")
        band(size, rows, "decay", color=colour, linestyle=line, marker="o", label=run)
    limit(size, 1, "the law")
    for shift, mark, colour, name in ((-0.1, "s", BLACK, "predicted"), (0.1, "o", BLUE, "met")):
        rows = where(table, quantity=f"share {name}").sort_values("run", key=lambda m: m.str[4:].astype(int))
        places = [place + shift for place in range(len(rows))]
        columns.errorbar(places, rows["value"], bars(rows), fmt=mark, color=colour, label=name)
        columns.set_xticks(range(len(rows)), rows["run"].str[4:])
    words = {"xlabel": "weight decay λ, falling", "ylabel": "growth of ‖KQᵀ‖⁎, over the law"}
    panel(size, "a", "the norm grows with log(1/λ)", "x", "best", **words)
    size.invert_xaxis()
    words = {"xlabel": "columns of K and Q", "ylabel": "share of instances", "ylim": (-0.05, 1.05)}
    panel(columns, "b", "conditions of the nuclear norm", legend="best", **words)
