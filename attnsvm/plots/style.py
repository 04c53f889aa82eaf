"""How every figure looks: the same bytes for the same table, on the same kind of processor."""

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from textwrap import wrap

import matplotlib
import numpy as np
from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.lines import Line2D

# Okabe and Ito's palette, told apart under every common colour blindness.
BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, BLACK = "#E69F00", "#56B4E9", "#CC79A7", "#000000"
GREY = "0.45"
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
SIZES = ("#440154", "#355f8d", "#1e9c89", "#6ece58")  # of viridis, dark to light: sizes that grow
MARKERS = ("o", "s", "^", "D", "v", "P")

# A parametrisation and the norm it minimises look the same everywhere; blue and vermillion are theirs, or two inputs'.
COLOUR = {"W": BLUE, "fro": BLUE, "KQ": VERMILLION, "nuc": VERMILLION}
DASHES = {"W": "-", "fro": "-", "KQ": (0, (3.2, 1.4)), "nuc": (0, (3.2, 1.4))}
NAME = {"W": "$W$", "KQ": "$(K, Q)$", "fro": "Frobenius norm", "nuc": "nuclear norm"}

LINE = 1.45  # height of a line of the headline, as a multiple of the font size
POINTS = 72  # per inch

METADATA = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None, "Format": None, "Type": None},
}


def _rc(font_size: float) -> dict:
    return {
        "font.size": font_size,
        "font.family": "DejaVu Sans",  # ships with matplotlib: the same glyphs on every machine
        "mathtext.fontset": "dejavusans",
        "text.usetex": False,
        "axes.titlesize": font_size,
        "axes.labelsize": font_size,
        "axes.titlepad": 0.5 * font_size,
        "axes.labelpad": 0.3 * font_size,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "0.9",
        "grid.linewidth": 0.5,
        "xtick.labelsize": 0.9 * font_size,
        "ytick.labelsize": 0.9 * font_size,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "xtick.minor.size": 1.5,
        "ytick.minor.size": 1.5,
        "legend.fontsize": 0.9 * font_size,
        "legend.title_fontsize": 0.9 * font_size,
        "legend.frameon": False,
        "legend.handlelength": 2.4,
        "legend.columnspacing": 1.4,
        "legend.borderaxespad": 0.3,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "errorbar.capsize": 1.5,
        "figure.constrained_layout.w_pad": 0.03,
        "figure.constrained_layout.h_pad": 0.03,
        "pdf.fonttype": 42,  # TrueType: text stays text
        "svg.hashsalt": "attnsvm",
    }


@contextmanager
def _looks(font_size: float) -> Iterator[None]:
    """Our settings and nothing of the user's matplotlibrc."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_rc(font_size))
        yield


@contextmanager
def canvas(settings: dict, height: float) -> Iterator[FigureBase]:
    """A figure to draw on; laid out, and its layout frozen, on leaving.

    Args:
        settings: "width" in inches and "font_size" in points; with a "headline" (see `attnsvm.audit.headline`) the
            figure has that on top, and is taller by its lines.
        height: as a multiple of the width.
    """
    width, size = settings.get("width", 6.75), settings.get("font_size", 8)
    with _looks(size):
        if "headline" in settings:
            figure, below = _headed(settings, width, height, size)
        else:
            figure = below = Figure(figsize=(width, height * width), layout="constrained")
        yield below
        figure.draw_without_rendering()  # ticks are made when first drawn: with our fonts, then
        figure.set_layout_engine(None)  # with one, "none" too, saving draws everything twice


def _headed(settings: dict, width: float, height: float, size: float) -> tuple[Figure, SubFigure]:
    """A figure with its headline, and the part of it below."""
    sentence, note, marker, colour = settings["headline"]
    line = int(POINTS * width / (0.66 * size)) - len(note)  # the letters that fit into one, in bold
    lines = wrap(sentence, line, break_long_words=False)
    top = LINE * size * (len(lines) + 0.3) / POINTS
    figure = Figure(figsize=(width, height * width + top), layout="constrained")
    above, below = figure.subfigures(2, hspace=0, height_ratios=(top, height * width))
    above.text(0.05 / width, 0.5, "\n".join(lines), va="center", weight="bold", size=1.1 * size)
    if note:
        mark = Line2D([], [], marker=marker, color=colour, linestyle="none", markersize=0.7 * size)
        above.legend([mark], [note], loc="center right", fontsize=1.1 * size, handlelength=1, handletextpad=0.3)
    return figure, below


def sheet(height: float) -> Callable[[Callable], Callable]:
    """For a function that draws a table on an empty figure: with it, `draw(table, settings)` returns the figure.

    Args:
        height: as a multiple of the width.
    """

    def with_canvas(paint: Callable) -> Callable:
        def draw(table, settings: dict) -> FigureBase:
            with canvas(settings, height) as figure:
                paint(figure, table)
            return figure

        draw.__doc__ = paint.__doc__
        return draw

    return with_canvas


def title(axes, letter: str, text: str) -> None:
    """Write "(letter) text" above axes, on the left."""
    axes.set_title(f"({letter}) {text}", loc="left")


def band(axes, rows, along: str, alpha: float = 0.18, **look) -> None:
    """A line through the estimates of rows, and a pale band from their `low` to their `high`.

    Args:
        along: the column of the other axis.
        look: of the line, its colour too, which is that of the band.
    """
    axes.fill_between(rows[along], rows["low"], rows["high"], color=look["color"], alpha=alpha, linewidth=0)
    axes.plot(rows[along], rows["value"], **look)


def bars(rows) -> np.ndarray:
    """How far the ends of estimates are from their value, (2, m) for m rows or for one: as `errorbar` asks for it."""
    return np.abs(np.array([rows["low"], rows["high"]], dtype=float).reshape(2, -1) - np.ravel(rows["value"]))


def rendered(figure: FigureBase, kind: str, dpi: float = 300) -> bytes:
    """The file of a figure or of the one that it is part of, as "pdf", "png" or "svg": the same bytes for the same."""
    drawn = BytesIO()
    with _looks(8):
        figure.get_figure(root=True).savefig(drawn, format=kind, dpi=dpi, metadata=METADATA[kind])
    return drawn.getvalue()


def all_rendered(figure: FigureBase, dpi: float = 300) -> dict[str, bytes]:
    """The file of every kind, as `rendered` makes it; on Linux a second process makes the pdf at the same time.

    The pdf takes half the time of all three, and a user who waits for one figure mostly has a second core.
    """
    with _beside(lambda: rendered(figure, "pdf", dpi)) as pdf:
        others = {kind: rendered(figure, kind, dpi) for kind in METADATA if kind != "pdf"}
    return {"pdf": pdf(), **others}


@contextmanager
def _beside(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """A function that gives what `work` returns, from a process that works while the body runs."""
    if sys.platform != "linux":  # where a fork is safe
        yield work
        return
    fork = multiprocessing.get_context("fork")
    answer, given = fork.Pipe(duplex=False)
    child = fork.Process(target=lambda: given.send_bytes(work()), daemon=True)
    child.start()
    given.close()

    def wait() -> bytes:
        try:
            return answer.recv_bytes()
        except EOFError:  # what stopped it is said here, or is gone: memory
            return work()
        finally:
            child.join()

    yield wait
