"""What a reader of a figure would miss, or could not read."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import FigureBase
from matplotlib.text import Text


def faults(figure: FigureBase, width: float, labels: bool = True) -> list[str]:
    """What is wrong with a figure, laid out, that was asked for at a width in inches.

    Args:
        figure: with a headline, the part below it.
        labels: whether titles, labels and legends must lie inside of it, as what is written into its axes must.
    """
    sheet = figure.get_figure(root=True)
    axes = sheet.axes  # the headline has none
    wanted = {
        f"{width} inches wide": sheet.get_size_inches()[0] == width,
        "a label below": axes[-1].get_xlabel() or figure.get_supxlabel(),
        "a label at the left": any(each.get_ylabel() for each in axes) or figure.get_supylabel(),
        "a legend": figure.legends or any(each.get_legend() for each in axes),
        "any text": _texts(figure),
    }
    renderer = FigureCanvasAgg(sheet).get_renderer()
    whole = sheet.bbox.padded(2)
    for text in asked(sheet, labels):
        box = text.get_window_extent(renderer)
        if box.overlaps(sheet.bbox):
            inside = whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1
            wanted[f"{text.get_text()!r} inside the figure"] = inside
    return [what for what, there in wanted.items() if not there]


def asked(figure: FigureBase, labels: bool) -> list[Text]:
    """The texts that must lie inside of a figure."""
    sides = [axis for each in figure.axes for axis in (each.xaxis, each.yaxis)]
    ticks = {id(text) for axis in sides for text in axis.findobj(Text)} - {id(axis.label) for axis in sides}
    # ticks beyond the limits are not drawn
    return [text for text in _texts(figure) if (labels and id(text) not in ticks) or not text.get_clip_on()]


def _texts(figure: FigureBase) -> list[Text]:
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
