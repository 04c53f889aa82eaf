"""How often each rule ends globally, and how far gradient descent is ahead of it, versus the dimension."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, PURPLE, VERMILLION, bars, sheet, title

LOOKS = {
    "fro": ("gradient descent", BLACK, "o"),
    "linf": ("sign descent", BLUE, "s"),
    "spectral": ("spectral descent", GREEN, "^"),
    "l1": ("coordinate descent", VERMILLION, "D"),
    "adam": ("Adam", PURPLE, "X"),
}
SHIFT = 1.03  # of neighbouring rules along the axis, so that bars do not hide one another


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (n, T, d, rule, quantity, value, low, high, instances)."""
    shares, leads = figure.subplots(1, 2, sharex=True)
    leads.axhline(0, color=GREY, linewidth=0.6)
    for k, (rule, (name, colour, marker)) in enumerate(LOOKS.items()):
        for axes, quantity in ((shares, "global"), (leads, "lead")):
            rows = table[(table["rule"] == rule) & (table["quantity"] == quantity)]
            look = {"color": colour, "marker": marker, "label": name if axes is shares else None}
            axes.errorbar(rows["d"] * SHIFT ** (k - 2), rows["value"], bars(rows), **look)
    shares.set(ylabel="share that ends globally", ylim=(0, 1.02))
    leads.set(ylabel="gradient descent, less the rule")
    title(shares, "a", "how often")
    title(leads, "b", "who is ahead, same instances")
    dimensions = sorted(table["d"].unique())
    for axes in (shares, leads):
        axes.set(xscale="log", xlabel="dimension $d$", xlim=(dimensions[0] / 1.3, dimensions[-1] * 1.3))
        axes.set_xticks(dimensions, [f"{d:g}" for d in dimensions])
        axes.minorticks_off()
    figure.legend(*shares.get_legend_handles_labels(), loc="outside upper center", ncols=5)
