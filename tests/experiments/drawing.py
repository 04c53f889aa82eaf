"""Whether a figure shows its table."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

SETTINGS = {"width": 6.75, "font_size": 8}


def assert_drawn(draw, table: pd.DataFrame, *points, x=None, y=None) -> Figure:
    """The figure `draw(table, settings)` shows all these places (x, y), and the numbers x and y at some place each."""
    figure = draw(table, SETTINGS)
    shown = drawn_points(figure)
    for some in points:
        wanted = {_place(*point) for point in np.asarray(some, dtype=float)}
        assert wanted
        assert not wanted - shown
    for numbers, axis in ((x, 0), (y, 1)):
        if numbers is not None:
            wanted = {round(float(number), 9) for number in numbers}
            assert wanted
            assert not wanted - {place[axis] for place in shown}
    return figure


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    return {_place(x, y) for line in lines for x, y in zip(*line.get_data(), strict=True)}


def _place(x, y) -> tuple[float, float]:
    return round(float(x), 9), round(float(y), 9)


def told_apart(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The table with a little of its own added to every number of these columns: no line can stand for another."""
    little = 1e-4 * np.arange(len(table))
    return table.assign(**{column: table[column] + little for column in columns})
