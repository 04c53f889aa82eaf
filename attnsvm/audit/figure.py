"""The audit at a glance: one line per claim with the mark of its verdict, in two columns; numbers stand on its page.

Behind the mark stands, smaller, that of each claim that sharpens this one: what holds instead.
"""

from textwrap import wrap

import pandas as pd

from attnsvm.audit.evaluation import GROUPS, WHOSE, counts, in_words, is_sharper
from attnsvm.audit.headline import MARKS
from attnsvm.plots.style import GREY, canvas

TOP = 6.2  # height of the key, in lines
IN_ROW, LETTERS = 4, 112  # marks in a row of the key, letters in a line of it
HEADING, GAP = 1.35, 0.5  # height of a group's heading and of the space above it, in lines
LINE = 1.42  # height of a line, as a multiple of the font size; less where the page would not hold all
CLOSEST = 1.17  # the least; where a page does not hold all of these lines, the font is smaller
TALLEST = 1.48  # height of a page, as a multiple of the width
COLUMNS = (0.0, 0.515)  # where the columns begin, as a share of the width
MARK, TEXT, RIGHT = 0.008, 0.042, 0.485  # inside a column: the mark, the claim, and where the column ends
NEXT = 0.013  # from a mark to that of what holds instead
HELD = 3.4  # size of the mark of what holds instead
POINTS = 72  # per inch


def draw(table: pd.DataFrame, settings: dict):
    """Draw from the claims table, see `attnsvm.audit.audit`."""
    left, right = columns(table)
    width, size = settings.get("width", 6.75), settings.get("font_size", 8)
    lines = TOP + 0.6 + max(_height(left), _height(right))
    size = min(size, TALLEST * width * POINTS / (lines * CLOSEST))
    with canvas(settings | {"font_size": size}, height=min(lines * LINE * size / POINTS / width, TALLEST)) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(lines, 0))
        _key(axes, table)
        for x, groups in zip(COLUMNS, (left, right), strict=True):
            _column(axes, x, groups)
    return figure


def columns(table: pd.DataFrame) -> tuple[list[tuple[str, list[dict]]], list[tuple[str, list[dict]]]]:
    """The rows in two columns of about the same height: per column [(heading, rows)], groups in their order.

    A group that goes on in the second column has its heading there again. What sharpens a row of the table has no line
    there: its verdict is in `held` of that row.
    """
    rows = _folded(table.to_dict("records"))
    cuts = [
        (_grouped(rows[:k]), _grouped(rows[k:], _heading(rows[k - 1]) if k else None)) for k in range(len(rows) + 1)
    ]
    return min(cuts, key=lambda cut: max(map(_height, cut)))


def _folded(rows: list[dict]) -> list[dict]:
    keys = {row["key"] for row in rows}
    return [
        row | {"held": [other["verdict"] for other in rows if other["sharpens"] == row["key"]]}
        for row in rows
        if row["sharpens"] not in keys
    ]


def _grouped(rows: list[dict], before: str | None = None) -> list[tuple[str, list[dict]]]:
    found: dict[str, list[dict]] = {}
    for row in rows:
        found.setdefault(_heading(row), []).append(row)
    return [(name + (" (continued)" if name == before else ""), own) for name, own in found.items()]


def _heading(row: dict) -> str:
    """The group of a row; of the paper its kind."""
    return WHOSE[row["kind"]].capitalize() if row["group"] == "paper" else GROUPS[row["group"]]


def _height(groups: list[tuple[str, list[dict]]]) -> float:
    return sum(HEADING + GAP + len(rows) for _, rows in groups)


def _key(axes, table: pd.DataFrame) -> None:
    """What the marks mean, and how many claims have each, of each kind."""
    asked = table[~is_sharper(table)]
    every = counts(asked)
    for k, (verdict, count) in enumerate(every.items()):
        x, y = k % IN_ROW / IN_ROW, 0.9 + k // IN_ROW
        _mark(axes, x + MARK, y, verdict)
        axes.text(x + TEXT, y, f"{verdict}: {count}", va="center", weight="bold")
    words = in_words(table)
    words += "; the smaller mark: what holds instead, on new seeds" if len(asked) < len(table) else ""
    for k, line in enumerate(wrap(words, LETTERS)):
        axes.text(0, 3.0 + k, line, va="center")


def _column(axes, x: float, groups: list[tuple[str, list[dict]]]) -> None:
    y = TOP
    for heading, rows in groups:
        y += GAP + HEADING
        axes.text(x, y - 0.75, heading, weight="bold", va="center")
        axes.plot([x, x + RIGHT], [y - 0.2, y - 0.2], color=GREY, linewidth=0.6)
        for row in rows:
            _mark(axes, x + MARK, y + 0.5, row["verdict"])
            for k, verdict in enumerate(row["held"], 1):
                _mark(axes, x + MARK + k * NEXT, y + 0.5, verdict, size=HELD)
            axes.text(x + TEXT, y + 0.5, row["short"], va="center")
            y += 1


def _mark(axes, x: float, y: float, verdict: str, size: float = 4.5) -> None:
    marker, colour = MARKS[verdict]
    axes.plot(x, y, marker=marker, color=colour, markersize=size, linestyle="none")
