"""Sparse attention stops at a margin, and goes to the SVM's solution as the decay vanishes; softmax does neither."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, band, sheet, title

LOOKS = {"sparsemax": (VERMILLION, "-"), "1.5-entmax": (BLUE, "--"), "softmax": (ORANGE, ":")}


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (attention, run, at, quantity, value, low, high, largest, instances)."""
    margin, distance, size = figure.subplots(1, 3)
    for name, (colour, line) in LOOKS.items():
        plain, decayed = (where(table, attention=name, run=run).sort_values("at") for run in ("plain", "decayed"))
        look = {"color": colour, "linestyle": line}
        band(margin, where(plain, quantity="margin"), "at", label=name, **look)
        band(size, where(decayed, quantity="size"), "at", **look)
        if name == "softmax":
            continue
        band(distance, where(decayed, quantity="distance"), "at", **look)
        for ended in where(plain, quantity="distance")["value"].iloc[-1:]:
            distance.axhline(ended, linewidth=0.7, **look)
    margin.axhline(1, color=GREY, linewidth=0.6)
    margin.set(xscale="log", xlabel="step", ylabel="smallest margin of W", ylim=(-0.3, 3))
    title(margin, "a", "no decay: it stops")
    distance.set(xscale="log", yscale="log", xlabel="weight decay λ", ylabel="relative distance from the solution")
    distance.invert_xaxis()
    distance.text(0.04, 0.04, "thin: where no decay ends", transform=distance.transAxes, color=GREY)
    title(distance, "b", "vanishing decay: the SVM")
    size.axhline(1, color=GREY, linewidth=0.6)
    size.set(xscale="log", xlabel="weight decay λ", ylabel="norm of W over that of the solution")
    size.invert_xaxis()
    title(size, "c", "and its size")
    count = int(table["instances"].max())
    figure.legend(
        *margin.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        title=f"medians over up to {count} instances; bands: their 95 % intervals",
    )
