"""The distance of every layer at three steps, and what 1/steps² says of the third."""

import numpy as np

from attnsvm.analysis.statistics import median_interval
from attnsvm.plots.style import GREY, MARKERS, SERIES, sheet


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (depth, layer, rule, seed, step, value); an open mark: the middle step's median, as 1/steps²."""
    axes = figure.subplots()
    deepest = table[table["depth"] == table["depth"].max()]
    for k, (layer, rows) in enumerate(deepest.groupby("layer")):
        colour, marker = SERIES[k % len(SERIES)], MARKERS[k % len(MARKERS)]
        own, control = (_wide(rows[rows["rule"] == rule]) for rule in ("law", "shuffled"))
        middle = np.array([median_interval(own[step].to_numpy()) for step in own])
        ends = abs(middle[:, 1:] - middle[:, :1]).T
        axes.errorbar(own.columns, middle[:, 0], yerr=ends, color=colour, marker=marker, label=f"layer {layer}")
        look = {"color": colour, "marker": marker, "markerfacecolor": "white", "linestyle": "none"}
        predicted = own.iloc[:, 1].median() * (own.columns[1] / own.columns[2]) ** 2
        axes.plot(own.columns[-1] * 1.12, predicted, **look)
        if len(control):
            axes.plot(control.columns, control.median(), color=GREY, linestyle=":", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation with the layer's SVM")
    axes.set_xticks(own.columns, [f"{step:,}" for step in own.columns])
    axes.minorticks_off()
    title = f"{deepest['depth'].iloc[0]} layers\nopen: predicted\ndotted: shuffled"
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center", title=title)


def _wide(rows):
    return rows.pivot(index="seed", columns="step", values="value")
