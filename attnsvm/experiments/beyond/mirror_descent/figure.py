"""ℓp mirror descent and the solutions in three norms: as published, and of its own tokens without underflow."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.plots.panels import lines, look, panel
from attnsvm.plots.style import BLUE, GREEN, PURPLE, VERMILLION, sheet

LOOKS = (look(VERMILLION, "--"), look(BLUE, "-"), look(GREEN, "-."), look(PURPLE, ":"))
WORDS = {
    "published": "as published: the tokens\nof another run",
    "exact": "corrected: its own tokens,\nsteps free of underflow",
}


@sheet(height=0.58)
def draw(figure, table):
    """Draw from rows (quantity, comparison, p, q, step, value, low, high, instances, interval)."""
    rows = where(table, quantity="distance", interval=QUARTILES)
    norms, letters = sorted(rows["q"].unique()), iter("abcdefghijklmnopqrstuvwxyz")
    looks = dict(zip(norms, LOOKS, strict=False))
    panels = figure.subplots(len(WORDS), len(norms), sharex=True, sharey="col", squeeze=False)
    for row, (comparison, words) in zip(panels, WORDS.items(), strict=True):
        for axes, q in zip(row, norms, strict=True):
            widths = {p: own | {"linewidth": 2.2 if p == q else 1.2} for p, own in looks.items()}
            lines(axes, where(rows, comparison=comparison, q=q), "step", "p", widths, alpha=0.15)
            panel(axes, next(letters), rf"to the $\ell_{{{q:g}}}$ solution", "xy")
            axes.margins(x=0)
        row[0].set(ylabel=words + "\n\nBregman distance")
    for axes in panels[-1]:
        axes.set(xlabel="step")
    handles = [Line2D([], [], **own, label=f"$p = {p:g}$") for p, own in looks.items()]
    words = f"line: median, band: quartiles over {int(table['instances'].max())} instances; thick: the norm's own $p$"
    handles.append(Patch(color="0.8", label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
