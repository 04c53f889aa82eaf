"""The distance of every layer at three steps, and what the first two say of the third."""

import numpy as np

from attnsvm.analysis.statistics import median_interval
from attnsvm.plots.style import GREY, MARKERS, SERIES, canvas


def draw(table, settings):
    """Draw from rows (depth, layer, rule, seed, step, value)."""
    return drawn(table, settings, continued)


def continued(own):
    """The median after the last step if each instance goes on as a power of the step."""
    first, before, end = own.columns
    power = np.log(own[before] / own[first]) / np.log(before / first)
    return (own[before] * (end / before) ** power).median()


def drawn(table, settings, predicted):
    """The same with an open mark at `predicted`, of a layer's distances (instances, three steps)."""
    with canvas(settings, height=0.46) as figure:
        axes = figure.subplots()
        deepest = table[table["depth"] == table["depth"].max()]
        for k, (layer, rows) in enumerate(deepest.groupby("layer")):
            colour, marker = SERIES[k % len(SERIES)], MARKERS[k % len(MARKERS)]
            own, control = (_wide(rows[rows["rule"] == rule]) for rule in ("law", "shuffled"))
            middle = np.array([median_interval(own[step].to_numpy()) for step in own])
            ends = abs(middle[:, 1:] - middle[:, :1]).T
            axes.errorbar(own.columns, middle[:, 0], yerr=ends, color=colour, marker=marker, label=f"layer {layer}")
            look = {"color": colour, "marker": marker, "markerfacecolor": "white", "linestyle": "none"}
            axes.plot(own.columns[-1] * 1.12, predicted(own), **look)
            if len(control):
                axes.plot(control.columns, control.median(), color=GREY, linestyle=":", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation with the layer's SVM")
        axes.set_xticks(own.columns, [f"{step:,}" for step in own.columns])
        axes.minorticks_off()
        title = f"{deepest['depth'].iloc[0]} layers\nopen: predicted\ndotted: shuffled"
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center", title=title)
    return figure


def _wide(rows):
    return rows.pivot(index="seed", columns="step", values="value")
