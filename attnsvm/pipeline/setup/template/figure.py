"""The distance versus the dimension: median and quartiles."""

from attnsvm.plots.style import BLUE, sheet


@sheet(height=0.5)
def draw(figure, table):
    """Draw from rows (d, value, low, high, instances, interval)."""
    axes = figure.subplots()
    band = {"color": BLUE, "alpha": 0.18, "linewidth": 0, "label": "quartiles"}
    axes.fill_between(table["d"], table["low"], table["high"], **band)
    axes.plot(table["d"], table["value"], color=BLUE, marker="o", label="median")
    axes.set(xscale="log", yscale="log", xlabel="dimension $d$", ylabel="1 − correlation with the SVM solution")
    axes.set_xticks(table["d"], [str(d) for d in table["d"]])
    axes.minorticks_off()
    axes.legend()
