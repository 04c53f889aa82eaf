"""What a reader of a figure would miss, or could not read."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text


def faults(figure: Figure, width: float, labels: bool = True) -> list[str]:
    """What is wrong with a figure, laid out, that was asked for at a width in inches.

    labels: whether titles, labels and legends must lie inside of it, as what is written into its axes must.
    """
    axes = figure.axes
    wanted = {
        f"{width} inches wide": figure.get_size_inches()[0] == width,
        "a label below": axes[-1].get_xlabel() or figure.get_supxlabel(),
        "a label at the left": any(each.get_ylabel() for each in axes) or figure.get_supylabel(),
        "a legend": figure.legends or any(each.get_legend() for each in axes),
    }
    renderer = FigureCanvasAgg(figure).get_renderer()
    whole = figure.bbox.padded(2)
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    wanted["any text"] = texts
    ticks = {id(text) for each in axes for axis in (each.xaxis, each.yaxis) for text in axis.findobj(Text)}
    ticks -= {id(axis.label) for each in axes for axis in (each.xaxis, each.yaxis)}
    for text in texts:
        box = text.get_window_extent(renderer)
        asked = (labels and id(text) not in ticks) or not text.get_clip_on()  # ticks beyond the limits are not drawn
        if asked and box.overlaps(figure.bbox):
            inside = whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1
            wanted[f"{text.get_text()!r} inside the figure"] = inside
    return [what for what, there in wanted.items() if not there]
