"""What the panels of many figures are made of: lines with bands, points with bars, and how a panel is finished.

Rows are those of a figure's table, with `value`, `low` and `high`.
"""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import GREY, MARKERS, SIZES, band, bars, title


def look(colour: str, line=None, marker: str | None = None, label: str | None = None, **further) -> dict:
    """The keywords of a line or of points, without those that are None."""
    words = {"color": colour, "linestyle": line, "marker": marker, "label": label}
    return {name: word for name, word in words.items() if word is not None} | further


def growing(k: int) -> dict:
    """The colour and the marker of the size number k, of sizes that grow."""
    return {"color": SIZES[k % len(SIZES)], "marker": MARKERS[k % len(MARKERS)]}


def lines(axes, rows, along: str, by: str, looks: dict, alpha: float = 0.18, **common) -> None:
    """A line with its band, see `band`, for each value in the column `by` that `looks` has a look for.

    Args:
        along: the column of the other axis; the rows are sorted by it.
        common: look of all lines.
    """
    for value, own in looks.items():
        band(axes, where(rows, **{by: value}).sort_values(along), along, alpha, **own | common)


def missing(rows):
    """The rows with what is missing to one: 1 − value, and its ends."""
    return rows.assign(value=1 - rows["value"], low=1 - rows["high"], high=1 - rows["low"])


def across(axes, places, rows, color: str, bar: float = 0.8, end: str = "high", **marks) -> None:
    """A mark at each value, at the height of its place, and a line from its `low` to its `end`, of the width `bar`."""
    axes.hlines(places, rows["low"], rows[end], color=color, linewidth=bar)
    axes.plot(rows["value"], places, color=color, linestyle="none", **marks)


def point(axes, x, row, color: str, marker: str, filled: bool = True, along: bool = False, **marks) -> None:
    """One estimate with its interval at x, or `along` the x axis at the height x; hollow unless filled."""
    face = color if filled else "white"
    place, ends = (([row["value"]], [x]), "xerr") if along else (([x], [row["value"]]), "yerr")
    axes.errorbar(*place, **{ends: bars(row)}, color=color, fmt=marker, markerfacecolor=face, **marks)


def rungs(axes, names, room: float = 0.5) -> None:
    """A name at each height from 0, the first on top; `room`: below the last."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - room, -0.5)


def ticks(axes, values, form: str = "g") -> None:
    """Ticks at these places of the x axis alone, with their numbers."""
    axes.set_xticks(values, [f"{value:{form}}" for value in values])
    axes.minorticks_off()


def limit(axes, value: float, words: str, upright: bool = False) -> None:
    """A dotted line at what values are compared with, and its name beside it: at its left, or at its top."""
    draw, along = (axes.axvline, axes.get_xaxis_transform()) if upright else (axes.axhline, axes.get_yaxis_transform())
    draw(value, color=GREY, linewidth=0.8, linestyle=":")
    place, away, ends = (
        ((value, 1), (-2, -2), ("right", "top")) if upright else ((0, value), (2, 2), ("left", "bottom"))
    )
    beside = {"xycoords": along, "textcoords": "offset points", "color": GREY}
    axes.annotate(words, place, away, ha=ends[0], va=ends[1], **beside)


def least(axis, value: float) -> None:
    """The tick at the least value of a logarithmic axis says that smaller ones are drawn there, too."""
    usual = axis.get_major_formatter()
    axis.set_major_formatter(lambda place, k: ("≤" if abs(place / value - 1) < 1e-6 else "") + usual(place, k))


def panel(axes, letter: str, text: str, log: str = "", legend: "str | dict | None" = None, **properties) -> None:
    """Finish a panel: its title, as `title`, and what `axes.set` takes.

    Args:
        log: which axes are logarithmic, for example "xy".
        legend: its place, or its keywords; None: there is none.
    """
    axes.set(**{f"{name}scale": "log" for name in log}, **properties)
    title(axes, letter, text)
    if legend is not None:
        axes.legend(**({"loc": legend} if isinstance(legend, str) else legend))


def key(figure, axes, words: str | None = None, above: bool = False, grey: bool = False, **looks) -> None:
    """What the lines of `axes` mean, in a legend below or above all panels.

    Args:
        words: its title, `grey` or black.
        looks: of the legend: `ncols` for example.
    """
    place = f"outside {'upper' if above else 'lower'} center"
    note = figure.legend(*axes.get_legend_handles_labels(), loc=place, title=words, **looks)
    if grey:
        note.get_title().set_color(GREY)
