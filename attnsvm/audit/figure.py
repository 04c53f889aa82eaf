"""The audit at a glance: every claim, the value measured, the threshold, the verdict."""

import pandas as pd

from attnsvm.audit.pages import interval, number
from attnsvm.audit.reading import DIFFERS, FAILS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, canvas

# Shape and colour: a reader who sees neither hue nor grey tells them apart by the mark.
MARKS = {
    HOLDS: ("o", GREEN),
    IN_PART: ("D", ORANGE),
    FAILS: ("X", VERMILLION),
    DIFFERS: ("s", BLUE),
    UNTESTABLE: ("_", GREY),
}


def draw(table: pd.DataFrame, settings: dict):
    """Draw from the claims table, see `attnsvm.audit.audit`."""
    with canvas(settings, height=0.036 * len(table) + 0.08) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(len(table) + 0.6, -1.8))
        columns = {0.03: "claim", 0.42: "measured", 0.72: "threshold", 0.84: "verdict"}
        for x, words in columns.items():
            axes.text(x, -1, words, weight="bold", va="center")
        axes.axhline(-0.45, color=GREY, linewidth=0.6)
        previous = None
        for y, row in enumerate(table.to_dict("records")):
            marker, colour = MARKS[row["verdict"]]
            axes.plot(0.01, y, marker=marker, color=colour, markersize=5, linestyle="none")
            axes.text(0.03, y, row["short"], va="center")
            measured = f"{number(row['value'])} {interval(row)}" if row["verdict"] != UNTESTABLE else "–"
            if pd.notna(row["published"]):
                measured += f" (print {number(row['published'])})"
            axes.text(0.42, y, measured, va="center")
            axes.text(0.72, y, number(row["threshold"]), va="center")
            axes.text(0.84, y, row["verdict"], va="center", color=colour)
            if previous not in (None, row["group"]):
                axes.axhline(y - 0.5, color="0.8", linewidth=0.6)
            previous = row["group"]
    return figure
