"""Where descent ends, versus the number of tokens, at a fixed number of inputs and dimension."""

from attnsvm.plots.panels import panel
from attnsvm.plots.shares import legend, logarithmic, shares
from attnsvm.plots.style import GREY, NAME, sheet


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (n, T, d, parametrisation, type, value, low, high, instances, interval)."""
    first = table.iloc[0]
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, letter, parametrisation in zip(panels, "ab", ("W", "KQ"), strict=True):
        shares(axes, table[table["parametrisation"] == parametrisation], "T")
        axes.axvline(first["d"] + 1, color=GREY, linewidth=0.8, linestyle="--")
        axes.annotate(" $T = d + 1$", (first["d"] + 1, 0.25), color=GREY, fontsize="small")
        words = f"{NAME[parametrisation]} trained, $n = {first['n']:.0f}$, $d = {first['d']:.0f}$"
        panel(axes, letter, words, xlabel="tokens per input $T$")
    panels[0].set(ylabel="share of runs")
    logarithmic(panels[0], table["T"])
    legend(figure, panels[0], table["instances"].max())
