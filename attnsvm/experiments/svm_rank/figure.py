"""Rank of the SVM solutions against the dimension: certified, and as published; below, how many are feasible."""

from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from attnsvm.plots.style import DASHES, GREY, MARKERS, NAME, SERIES, canvas, title

STRONG = {"linewidth": 1.2, "markersize": 3.5}
FAINT = {"linewidth": 0.9, "markersize": 0, "alpha": 0.6}
METHODS = {"published": FAINT, "certified": STRONG}


def draw(table, settings):
    """Draw from rows (n, T, d, norm, method, instances, feasible, rank_mean, rank_std, gap_max)."""
    with canvas(settings, height=0.56) as figure:
        ranks, shares = figure.subplots(2, 2, sharex=True, sharey="row", height_ratios=(4, 1))
        for rank, share, letter, varied, fixed in zip(ranks, shares, "ab", "nT", "Tn", strict=True):
            # The panel's fixed size is the one that the varied size takes several values at.
            value = table.groupby(fixed)[varied].nunique().idxmax()
            rows = table[table[fixed] == value]
            for k, (size, group) in enumerate(rows.groupby(varied)):
                look = {"color": SERIES[k % len(SERIES)], "marker": MARKERS[k % len(MARKERS)]}
                _ranks(rank, group, look)
                _feasible(share, group, look | {"label": f"${varied} = {size}$"})
            title(rank, letter, f"${fixed} = {value}$, varying ${varied}$")
            rank.legend(handles=share.get_lines(), loc="upper left")
            share.set(xlabel="dimension $d$", ylim=(-0.12, 1.12), yticks=(0, 1))
            share.xaxis.set_major_locator(MultipleLocator(5))
        ranks[0].set(ylabel="rank, mean over instances")
        ranks[0].set_ylim(bottom=0)
        shares[0].set(ylabel="share\nfeasible")
        figure.legend(handles=_line_styles(), loc="outside upper center", ncols=2)
    return figure


def _ranks(axes, rows, look: dict) -> None:
    for method, weight in METHODS.items():
        for norm in ("fro", "nuc"):
            line = rows[(rows["method"] == method) & (rows["norm"] == norm)].sort_values("d")
            axes.plot(line["d"], line["rank_mean"], **(look | weight), linestyle=DASHES[norm])
            if method == "certified":
                axes.errorbar(
                    line["d"],
                    line["rank_mean"],
                    line["rank_std"],
                    fmt="none",
                    ecolor=look["color"],
                    elinewidth=0.7,
                    alpha=0.6,
                )


def _feasible(axes, rows, look: dict) -> None:
    """Feasibility does not depend on the norm: the certified rows of one norm say it all."""
    rows = rows[rows["method"] == "certified"]
    rows = rows[rows["norm"] == rows["norm"].min()].sort_values("d")
    axes.plot(rows["d"], rows["feasible"] / rows["instances"], **look, linewidth=0.9, markersize=2.8)


def _line_styles() -> list[Line2D]:
    words = {
        "certified": "certified (feasible, ± one std)",
        "published": "published (infeasible as rank 1)",
    }
    return [
        Line2D([], [], color=GREY, linestyle=DASHES[norm], marker="o", **METHODS[method], label=f"{NAME[norm]}, {text}")
        for method, text in words.items()
        for norm in ("fro", "nuc")
    ]
