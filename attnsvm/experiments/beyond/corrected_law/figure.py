"""The corrected law beside its first form, and what rows keep."""

from attnsvm.experiments.beyond.layers.figure import rows_in_time, tails
from attnsvm.plots.style import sheet


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (architecture, layer, quantity, step, value, ..., first_quartile, third_quartile, largest)."""
    left, right = figure.subplots(1, 2)
    tails(left, table)
    rows_in_time(right, table)
