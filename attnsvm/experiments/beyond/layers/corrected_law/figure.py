"""The corrected law: tails of the stated and the corrected problem, and what holds rows."""

from attnsvm.experiments.beyond.layers.figure import forces, rows_in_time, tails
from attnsvm.plots.style import sheet


@sheet(height=0.78)
def draw(figure, table):
    """Draw from rows (architecture, layer, quantity, step, value, ..., tail, largest)."""
    grid = figure.subplots(2, 2)
    tails(grid[0, 0], table, 2, "a", "the top: tails")
    tails(grid[0, 1], table, 1, "b", "the layer below: tails")
    rows_in_time(grid[1, 0], table)
    forces(grid[1, 1], table)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, title="(a, b)")
