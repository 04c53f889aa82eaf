"""The audit at a glance: every claim, what was measured and what is wanted of it, the verdict."""

import pandas as pd

from attnsvm.audit.pages import measured, wanted
from attnsvm.audit.reading import DIFFERS, FAILS, GROUPS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, canvas

# Shape and colour: a reader who sees neither hue nor grey tells them apart by the mark.
MARKS = {
    HOLDS: ("o", GREEN),
    IN_PART: ("D", ORANGE),
    FAILS: ("X", VERMILLION),
    DIFFERS: ("s", BLUE),
    UNTESTABLE: ("_", GREY),
}
LINE, HEADING = 1.0, 0.8  # height of a row, and of a group's heading


def draw(table: pd.DataFrame, settings: dict):
    """Draw from the claims table, see `attnsvm.audit.audit`."""
    total = LINE * len(table) + HEADING * table["group"].nunique()
    with canvas(settings, height=0.051 * total + 0.03) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(total, -0.4))
        y = 0.0
        for group, rows in table.groupby("group", sort=False):
            axes.text(0, y + 0.05, GROUPS[group], weight="bold", va="center")
            axes.axhline(y + 0.4, color=GREY, linewidth=0.6)
            y += HEADING
            for row in rows.to_dict("records"):
                _row(axes, y, row, 0.85 * settings.get("font_size", 8))
                y += LINE
    return figure


def _row(axes, y: float, row: dict, small: float) -> None:
    """The claim and its verdict, and below them what was measured and what is wanted."""
    marker, colour = MARKS[row["verdict"]]
    axes.plot(0.01, y, marker=marker, color=colour, markersize=5, linestyle="none")
    axes.text(0.03, y, row["short"], va="center")
    axes.text(0.79, y, row["verdict"], va="center", color=colour)
    if row["verdict"] != UNTESTABLE:
        count = f" ({row['instances']:,} instance{'s' if row['instances'] != 1 else ''})"
        axes.text(0.03, y + 0.42, measured(row) + count, va="center", color="0.3", fontsize=small)
        axes.text(0.79, y + 0.42, f"wanted: {wanted(row)}", va="center", color="0.3", fontsize=small)
