"""ℓp mirror descent and the solutions in three norms: tokens of another run, tokens of the run itself, no underflow."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.style import BLUE, GREEN, PURPLE, VERMILLION, band, sheet, title

LOOKS = ((VERMILLION, "--"), (BLUE, "-"), (GREEN, "-."), (PURPLE, ":"))
WORDS = {
    "published": "as published: the tokens\nof another run",
    "own": "right: the tokens\nof the run itself",
    "exact": "right tokens, and steps\nfree of underflow",
}


@sheet(height=0.8)
def draw(figure, table):
    """Draw from rows (quantity, comparison, p, q, step, value, low, high, instances, interval)."""
    rows = where(table, quantity="distance", interval=QUARTILES)
    norms, letters = sorted(rows["q"].unique()), iter("abcdefghijklmnopqrstuvwxyz")
    panels = figure.subplots(len(WORDS), len(norms), sharex=True, sharey="col", squeeze=False)
    for row, (comparison, words) in zip(panels, WORDS.items(), strict=True):
        for axes, q in zip(row, norms, strict=True):
            own = rows[(rows["comparison"] == comparison) & (rows["q"] == q)]
            _lines(axes, own, norms, q)
            title(axes, next(letters), rf"to the $\ell_{{{q:g}}}$ solution")
        row[0].set(ylabel=words + "\n\nBregman distance")
    for axes in panels[-1]:
        axes.set(xlabel="step")
    looks = zip(norms, LOOKS, strict=False)
    handles = [Line2D([], [], color=colour, linestyle=dashes) for _, (colour, dashes) in looks]
    labels = [f"$p = {p:g}$" for p, _ in zip(norms, LOOKS, strict=False)]
    count = int(table["instances"].max())
    handles.append(Patch(color="0.8"))
    labels.append(f"line: median, band: quartiles over {count} instances; thick: the norm's own $p$")
    figure.legend(handles, labels, loc="outside lower center", ncols=len(handles))


def _lines(axes, rows, norms, q) -> None:
    for p, (colour, dashes) in zip(norms, LOOKS, strict=False):
        line = rows[rows["p"] == p].sort_values("step")
        width = 2.2 if p == q else 1.2
        band(axes, line, "step", alpha=0.15, color=colour, linestyle=dashes, linewidth=width)
    axes.set(xscale="log", yscale="log")
    axes.margins(x=0)
