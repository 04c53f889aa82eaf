"""Where a clip and decay end, over the prediction, and the margin that is missing."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, SKY, bars, sheet, title

NAMES = {"fro": ("Frobenius", BLUE), "linf": ("max", ORANGE), "spectral": ("spectral", BLACK), "AdamW": ("AdamW", SKY)}
PANELS = {"norm": ("clip", "decay"), "missing": ("clip", "free")}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, kind, level, quantity, value, low, high, instances, interval)."""
    for axes, quantity in zip(figure.subplots(1, 2), PANELS, strict=True):
        for kind, mark, filled in zip(PANELS[quantity], "os", (True, False), strict=True):
            for k, (run, (_, colour)) in enumerate(NAMES.items()):
                name = "plateau" if quantity == "norm" and kind == "decay" else quantity
                rows, face = where(table, run=run, kind=kind, quantity=name), colour if filled else "white"
                places = rows["level"] * 1.05 ** (2 * k - 3 + filled)
                axes.errorbar(places, rows["value"], bars(rows), fmt=mark, color=colour, markerfacecolor=face)
            axes.plot([], [], mark, color=GREY, markerfacecolor=GREY if filled else "white", label=kind)
        axes.set(xscale="log", xlabel="clip τ (AdamW: 1/λ)")
        axes.legend()
    left, right = figure.axes
    left.axhline(1, color=GREY, linewidth=0.6)
    left.set(ylabel="measured over predicted")
    right.set(yscale="log", ylabel="1 − margin ratio")
    title(left, "a", "norm under clip, logit under decay")
    title(right, "b", "what a clip costs")
    figure.legend(
        handles=[left.plot([], [], color=c, label=n)[0] for n, c in NAMES.values()], loc="outside lower center", ncols=4
    )
