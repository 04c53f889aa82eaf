"""Gradient flow, joint and published steps of (K, Q) from two starts, and diagonal factors, against their solutions."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import missing, panel
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, band, sheet

STARTS = {"random": "-", "aligned": "--"}
FAR = "1 − correlation with the nuclear solution"


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (run, start, quantity, step, value, low, high, norm, instances)."""
    flow, steps, diagonal = figure.subplots(1, 3)
    far = where(table, quantity="distance")
    for start, line in STARTS.items():
        _line(flow, where(far, run="flow", start=start), "norm", BLUE, line, f"flow, {start} start")
        for run, colour in (("joint", GREEN), ("published", VERMILLION)):
            _line(steps, where(far, run=run, start=start), "step", colour, line, f"{run}, {start} start")
    _line(flow, where(far, run="one matrix", start="random"), "norm", GREY, ":", "one matrix W")
    for start, colour, line in (("two factors", BLUE, "-"), ("one vector", ORANGE, ":")):
        rows = where(table, run="diagonal", start=start, quantity="ratio")
        _line(diagonal, missing(rows), "norm", colour, line, f"diagonal, {start}")
    panel(flow, "a", "flow goes there", log="xy", xlabel="norm of K Qᵀ", ylabel=FAR)
    panel(steps, "b", "longer steps", log="xy", xlabel="step", ylabel=FAR)
    panel(diagonal, "c", "diagonal factors: ℓ1", log="xy", xlabel="‖w‖₁", ylabel="1 − margin ratio in ℓ1")
    figure.legend(loc="outside lower center", ncols=3)


def _line(axes, rows, along, colour, line, label):
    band(axes, rows.sort_values("step"), along, alpha=0.15, color=colour, linestyle=line, label=label)
