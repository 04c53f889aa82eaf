"""How often W and (K, Q) select the optimal tokens, saturated or not, and which is ahead, versus the dimension."""

from attnsvm.plots.style import BLACK, BLUE, GREY, VERMILLION, bars, sheet, title

LOOKS = {"W": ("$W$", BLUE, "o"), "KQ": ("$(K, Q)$", VERMILLION, "s")}
COUNTED = {"selected": ("-", None), "saturated": (":", "white")}


@sheet(height=0.38)
def draw(figure, table):
    """Draw from rows (n, T, d, counted, quantity, value, low, high, instances)."""
    shares, lead = figure.subplots(1, 2, sharex=True)
    lead.axhline(0, color=GREY, linewidth=0.6)
    for counted, (line, face) in COUNTED.items():
        rows = table[table["counted"] == counted]
        look = {"linestyle": line} | ({"markerfacecolor": face} if face else {})
        for name, (label, colour, marker) in LOOKS.items():
            own = {"color": colour, "marker": marker, "label": f"{label}, {counted}"}
            _bars(shares, rows[rows["quantity"] == name], **look, **own)
        _bars(lead, rows[rows["quantity"] == "lead"], **look, color=BLACK, marker="D", label=counted)
    shares.set(ylabel="share of instances", ylim=(0, 1.02))
    lead.set(ylabel="share with $W$ less that with $(K, Q)$")
    title(shares, "a", "optimal tokens")
    title(lead, "b", "who is ahead, same instances")
    dimensions = sorted(table["d"].unique())
    for axes in (shares, lead):
        axes.set(xscale="log", xlabel="dimension $d$")
        axes.set_xticks(dimensions, [f"{d:g}" for d in dimensions])
        axes.minorticks_off()
        axes.legend(loc="lower right")


def _bars(axes, table, **look):
    for k, (_, rows) in enumerate(table.groupby(["n", "T"], sort=False)):
        axes.errorbar(rows["d"], rows["value"], bars(rows), **(look if k == 0 else look | {"label": None}))
