"""Self-attention, the first token of an input its query: local convergence above, convergence types below."""

from matplotlib.patches import Patch

from attnsvm.experiments.local_convergence import figure as local_convergence
from attnsvm.plots.shares import SPREAD, logarithmic, shares
from attnsvm.plots.style import NAME, canvas, title


def draw(table, settings):
    """Draw from the rows of the two experiments, told apart by `experiment`."""
    curves = table[table["experiment"] == "self_local_convergence"]
    types = table[table["experiment"] == "self_convergence_types"]
    shapes = list(types.groupby(["n", "T"], sort=False))
    with canvas(settings, height=0.72) as figure:
        above, below = figure.subfigures(2, 1, height_ratios=(1, 1.05))
        local_convergence.panels(above.subplots(1, 3), curves)
        row = below.subplots(1, 2 * len(shapes), sharex=True, sharey=True, squeeze=False)[0]
        letters, axes_of = iter("defghijk"), iter(row)
        for (n, _), group in shapes:
            for parametrisation in ("W", "KQ"):
                axes = next(axes_of)
                shares(axes, group[group["parametrisation"] == parametrisation], "d")
                axes.set(xlabel="dimension $d$")
                title(axes, next(letters), f"{NAME[parametrisation]}, $n = T = {n:.0f}$")
        row[0].set(ylabel="share of runs")
        logarithmic(row[0], types["d"])
        below.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
        spread = Patch(
            color="0.8",
            label=f"(a–c) band: ± one standard deviation over {local_convergence.counts(curves)}; "
            f"(d–g) {SPREAD} over {types['instances'].max():.0f}",
        )
        above.legend(handles=[spread], loc="outside lower center")
    return figure
