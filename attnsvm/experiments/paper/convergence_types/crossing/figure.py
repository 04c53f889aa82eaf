"""How often W and (K, Q) select the optimal tokens, saturated or not, and which is ahead, versus the dimension."""

from itertools import product

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import limit, look, panel
from attnsvm.plots.style import BLACK, BLUE, VERMILLION, bars, sheet

LOOKS = {"W": ("$W$, ", look(BLUE, marker="o")), "KQ": ("$(K, Q)$, ", look(VERMILLION, marker="s"))}
LEAD = {"lead": ("", look(BLACK, marker="D"))}
APART = 0.1  # between marks of one dimension


@sheet(height=0.38)
def draw(figure, table):
    """Draw from rows (n, T, d, counted, quantity, value, low, high, instances)."""
    shares, lead = figure.subplots(1, 2)
    limit(lead, 0, "equally often")
    _marks(shares, table, LOOKS)
    _marks(lead, table, LEAD)
    panel(shares, "a", "optimal tokens", legend="lower right", ylabel="share of instances", ylim=(0, 1.02))
    less = "share with $W$ less that with $(K, Q)$"
    panel(lead, "b", "who is ahead, same instances", legend="lower right", ylabel=less)


def _marks(axes, table, looks):
    """Dimensions are equally spaced, whatever lies between them, and no line joins what is not measured."""
    dimensions = sorted(table["d"].unique())
    for k, (quantity, counted) in enumerate(product(looks, ("selected", "saturated"))):
        rows, (name, own) = where(table, quantity=quantity, counted=counted), looks[quantity]
        places = rows["d"].map(dimensions.index) + APART * (k - len(looks) + 0.5)
        face = own["color"] if counted == "selected" else "white"
        marks = {"linestyle": "none", "markerfacecolor": face, "label": name + counted}
        axes.errorbar(places, rows["value"], bars(rows), **own, **marks)
    axes.set_xticks(range(len(dimensions)), [f"{d:g}" for d in dimensions])
    axes.set(xlabel="dimension $d$", xlim=(-0.5, len(dimensions) - 0.5))
