"""Rank of the SVM solutions against the dimension: as published, certified, and how many instances are feasible."""

from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import growing, panel
from attnsvm.plots.style import DASHES, GREY, NAME, sheet

METHODS = {"published": "as published, noise counted", "certified": "certified"}
NORMS = ("fro", "nuc")


@sheet(height=0.86)
def draw(figure, table):
    """Draw from rows (n, T, d, norm, method, value, rank_std, drawn, feasible, ...)."""
    grid = figure.subplots(3, 2, sharex=True, sharey="row", height_ratios=(3, 3, 1))
    for column, (varied, fixed) in enumerate((("n", "T"), ("T", "n"))):
        # The panel's fixed size is the one that the varied size takes several values at.
        value = table.groupby(fixed)[varied].nunique().idxmax()
        rows = where(table, **{fixed: value})
        *ranks, share = grid[:, column]
        for k, (size, group) in enumerate(rows.groupby(varied)):
            look = growing(k)
            for axes, method in zip(ranks, METHODS, strict=True):
                _ranks(axes, where(group, method=method), look)
            _feasible(share, group, look | {"label": f"${varied} = {size}$"})
        for row, (axes, words) in enumerate(zip(ranks, METHODS.values(), strict=True)):
            panel(axes, "abcd"[2 * row + column], f"{words}, ${fixed} = {value}$", ylim=(0, None))
        ranks[0].legend(handles=share.get_lines(), loc="upper left")
        words = "instances with a separator"
        panel(share, "ef"[column], words, xlabel="dimension $d$", ylim=(-0.12, 1.12), yticks=(0, 1))
        share.xaxis.set_major_locator(MultipleLocator(5))
    for axes in grid[:2, 0]:
        axes.set(ylabel="rank, mean over instances")
    grid[2, 0].set(ylabel="share")
    lines = [Line2D([], [], color=GREY, linestyle=DASHES[norm], label=NAME[norm]) for norm in NORMS]
    bar = Line2D([], [], color=GREY, marker="|", linestyle="none", markersize=8, label="± one standard deviation")
    figure.legend(handles=[*lines, bar], loc="outside upper center", ncols=3)


def _ranks(axes, rows, look: dict) -> None:
    for norm in NORMS:
        line = where(rows, norm=norm).sort_values("d")
        axes.plot(line["d"], line["value"], **look, linestyle=DASHES[norm])
        bars = {"fmt": "none", "ecolor": look["color"], "elinewidth": 0.7, "alpha": 0.6}
        axes.errorbar(line["d"], line["value"], line["rank_std"], **bars)


def _feasible(axes, rows, look: dict) -> None:
    """Feasibility does not depend on the norm: the certified rows of one norm say it all."""
    rows = where(rows, method="certified", norm=rows["norm"].min()).sort_values("d")
    axes.plot(rows["d"], rows["feasible"] / rows["drawn"], **look, linewidth=0.9, markersize=2.8)
