"""The balance of K and Q under plain descent, and the published step with and without decay."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREEN, ORANGE, VERMILLION, band, sheet, title

PLAIN = {
    ("decay", "balance"): (BLUE, "-", "balance"),
    ("decay", "difference"): (GREEN, "-.", "difference of norms"),
    ("decay", "predicted"): (BLACK, ":", r"$\exp(-2\eta\lambda\cdot$step)"),
    ("no decay", "balance"): (ORANGE, "--", "balance, no decay"),
}
PUBLISHED = {"falling": (BLUE, "-"), "constant": (GREEN, "-."), "without decay": (VERMILLION, "--")}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, along, quantity, value, low, high, instances, interval)."""
    plain, published = figure.subplots(1, 2)
    for (run, quantity), (colour, line, name) in PLAIN.items():
        band(plain, where(table, run=run, quantity=quantity), "along", color=colour, linestyle=line, label=name)
    for run, (colour, line) in PUBLISHED.items():
        rows = where(table, run=run, quantity="missing")
        band(published, rows, "along", color=colour, linestyle=line, marker="o", label=run)
    plain.set(yscale="log", xlabel="step", ylabel="over its start")
    published.set(xscale="log", yscale="log", xlabel="weight decay λ", ylabel="1 − margin ratio, nuclear norm")
    published.invert_xaxis()
    published.xaxis.set_minor_formatter("")
    title(plain, "a", "plain descent")
    title(published, "b", "the published step")
    for axes in (plain, published):
        axes.legend()
