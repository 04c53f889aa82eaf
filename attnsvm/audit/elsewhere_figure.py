"""The matrix at a glance: a line for every claim, a column for every variant, in each place the mark of its verdict."""

import pandas as pd

from attnsvm.audit.elsewhere import KINDS, SO_FAR, TOO_FEW
from attnsvm.audit.headline import MARKS
from attnsvm.plots.style import GREY, VERMILLION, canvas

POINTS = 72  # per inch
LINE = 1.35  # height of a line, as a multiple of the font size
TOP, HEADING = 13.0, 1.6  # height of the names of the variants, and of a figure's name, in lines
TEXT = 0.42  # the share of the width that the claims take
SMALLEST, MANY = 5.0, 60  # the font size of a matrix of more claims than these
SIGNS = MARKS | {SO_FAR: ("x", VERMILLION), TOO_FEW: (".", GREY)}


def draw(rows: pd.DataFrame, settings: dict):
    """Draw from a matrix, see `attnsvm.audit.elsewhere.matrix`."""
    kinds = dict(zip(rows["variant"], rows["kind"], strict=True))
    columns = sorted(kinds, key=lambda name: KINDS.index(kinds[name]))
    words = dict(zip(rows["variant"], rows["text"], strict=True))
    width, size = settings.get("width", 6.75), settings.get("font_size", 8)
    size = SMALLEST if rows["claim"].nunique() > MANY else min(size, 7.0)
    lines = TOP + rows["claim"].nunique() + HEADING * rows["figure"].nunique() + 2.5
    with canvas(settings | {"font_size": size}, height=lines * LINE * size / POINTS / width) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(lines, 0))
        places = {name: TEXT + (1 - TEXT) * (k + 0.5) / len(columns) for k, name in enumerate(columns)}
        for name, x in places.items():
            axes.text(x, TOP - 0.3, words[name], rotation=90, ha="center", va="bottom")
        y = TOP
        for name, own in rows.groupby("figure", sort=False):
            y += HEADING
            axes.text(0, y - 0.5, name, weight="bold", va="center")
            axes.plot([0, 1], [y - 0.05, y - 0.05], color=GREY, linewidth=0.4)
            for _, line in own.groupby("claim", sort=False):
                axes.text(0.01, y + 0.5, line["short"].iloc[0], va="center")
                for cell in line.itertuples():
                    marker, colour = SIGNS[cell.verdict]
                    axes.plot(places[cell.variant], y + 0.5, marker=marker, color=colour, markersize=0.5 * size)
                y += 1
        _key(axes, rows, y + 1.4)
    return figure


def _key(axes, rows: pd.DataFrame, y: float) -> None:
    """What the marks mean, and how many cells have each."""
    found = rows["verdict"].value_counts()
    shown = [verdict for verdict in SIGNS if verdict in found]
    for k, verdict in enumerate(shown):
        x = k / len(shown)
        marker, colour = SIGNS[verdict]
        axes.plot(x + 0.008, y, marker=marker, color=colour, linestyle="none", markersize=4)
        axes.text(x + 0.02, y, f"{verdict}: {found[verdict]}", va="center")
