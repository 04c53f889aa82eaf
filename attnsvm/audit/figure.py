"""The audit at a glance: every claim, what was measured and what is wanted of it, the verdict."""

from textwrap import wrap

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
LINE, MORE, HEADING = 1.0, 0.37, 0.8  # height of a row, of each further line in it, and of a group's heading
WIDEST = 92  # characters of a line of what was measured


def draw(table: pd.DataFrame, settings: dict):
    """Draw from the claims table, see `attnsvm.audit.audit`."""
    rows = [(row, _measured(row)) for row in table.to_dict("records")]
    total = HEADING * table["group"].nunique() + sum(_height(lines) for _, lines in rows)
    with canvas(settings, height=0.051 * total + 0.03) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(total, -0.4))
        y, group = 0.0, None
        for row, lines in rows:
            if row["group"] != group:
                group = row["group"]
                axes.text(0, y + 0.05, GROUPS[group], weight="bold", va="center")
                axes.axhline(y + 0.4, color=GREY, linewidth=0.6)
                y += HEADING
            _row(axes, y, row, lines, 0.85 * settings.get("font_size", 8))
            y += _height(lines)
    return figure


def _measured(row: dict) -> list[str]:
    """What was measured and over how many instances, in lines; none of what cannot be tested."""
    if row["verdict"] == UNTESTABLE:
        return []
    count = f"({row['instances']:,} instance{'s' if row['instances'] != 1 else ''})"
    return wrap(f"{measured(row)} {count}", WIDEST)


def _height(lines: list[str]) -> float:
    return LINE + MORE * max(0, len(lines) - 1)


def _row(axes, y: float, row: dict, lines: list[str], small: float) -> None:
    """The claim and its verdict, and below them what was measured and what is wanted."""
    marker, colour = MARKS[row["verdict"]]
    axes.plot(0.01, y, marker=marker, color=colour, markersize=5, linestyle="none")
    axes.text(0.03, y, row["short"], va="center")
    axes.text(0.79, y, row["verdict"], va="center", color=colour)
    for k, line in enumerate(lines):
        axes.text(0.03, y + 0.42 + MORE * k, line, va="center", color="0.3", fontsize=small)
    if lines:
        axes.text(0.79, y + 0.42, f"wanted: {wanted(row)}", va="center", color="0.3", fontsize=small)
