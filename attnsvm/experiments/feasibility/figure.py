"""Share of instances whose tokens can be separated, versus the dimension, and the dimension from which all can."""

from matplotlib.ticker import MultipleLocator

from attnsvm.plots.style import BLUE, GREEN, GREY, VERMILLION, canvas

LOOKS = {
    "optimal": ("optimal tokens", {"color": BLUE, "linestyle": "-", "marker": "o", "linewidth": 1.8}),
    "random": ("random tokens", {"color": VERMILLION, "linestyle": "--", "marker": "s"}),
    "worst": ("worst tokens", {"color": GREEN, "linestyle": ":", "marker": "^"}),
}


def draw(table, settings):
    """Draw from rows (n, T, d, attention, alpha, share, low, high, instances)."""
    shapes = list(table.groupby(["n", "T"], sort=False))
    with canvas(settings, height=0.54) as figure:
        panels = figure.subplots(2, len(shapes), sharex=True, sharey=True, squeeze=False)
        for row, attention in zip(panels, ("cross", "self"), strict=True):
            for axes, ((n, T), group) in zip(row, shapes, strict=True):
                for alpha, (label, look) in LOOKS.items():
                    line = group[(group["attention"] == attention) & (group["alpha"] == alpha)].sort_values("d")
                    axes.plot(line["d"], line["share"], label=label, markersize=3, **look)
                    axes.vlines(line["d"], line["low"], line["high"], color=look["color"], linewidth=0.8, alpha=0.7)
                axes.axvline(max(T - 1, n), color=GREY, linewidth=1, linestyle="-.", label="bound $\\max(T - 1, n)$")
                axes.set(ylim=(-0.04, 1.04))
                axes.xaxis.set_major_locator(MultipleLocator(4))
                if attention == "cross":
                    axes.set_title(f"$n = {n}$, $T = {T}$")
            row[0].set(ylabel=f"{attention}-attention\nshare with a separator")
        for axes in panels[-1]:
            axes.set(xlabel="dimension $d$")
        note = figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
        note.set_title(f"bars: 95 % Wilson interval over {table['instances'].max()} instances")
        note.get_title().set_color(GREY)
    return figure
