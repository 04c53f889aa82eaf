"""Sparse attention stops at a margin, and goes to the SVM's solution as the decay vanishes; softmax does neither."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, lines, look, panel
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, band, sheet

SPARSE = {"sparsemax": look(VERMILLION, "-", label="sparsemax"), "1.5-entmax": look(BLUE, "--", label="1.5-entmax")}
LOOKS = SPARSE | {"softmax": look(ORANGE, ":", label="softmax")}


@sheet(height=0.44)
def draw(figure, table):
    """Draw from rows (attention, run, at, quantity, value, low, high, largest, instances)."""
    margin, distance, size = figure.subplots(1, 3)
    plain, decayed = (where(table, run=run) for run in ("plain", "decayed"))
    lines(margin, where(plain, quantity="margin"), "at", "attention", LOOKS)
    lines(size, where(decayed, quantity="size"), "at", "attention", LOOKS)
    for name, own in SPARSE.items():
        band(distance, where(decayed, quantity="distance", attention=name).sort_values("at"), "at", **own)
        for ended in where(plain, quantity="distance", attention=name).sort_values("at")["value"].iloc[-1:]:
            distance.axhline(ended, linewidth=0.7, **own)
    for axes in (margin, size):
        axes.axhline(1, color=GREY, linewidth=0.6)
    decay = "weight decay λ"
    panel(margin, "a", "no decay: it stops", "x", xlabel="step", ylabel="smallest margin of W", ylim=(-0.3, 3))
    far = "relative distance from the solution"
    panel(distance, "b", "vanishing decay: the SVM", "xy", xlabel=decay, ylabel=far)
    distance.text(0.04, 0.04, "thin: where no decay ends", transform=distance.transAxes, color=GREY)
    panel(size, "c", "and its size", "x", xlabel=decay, ylabel="norm of W over that of the solution")
    for axes in (distance, size):
        axes.invert_xaxis()
    words = f"medians over up to {int(table['instances'].max())} instances; bands: their 95 % intervals"
    key(figure, margin, words, ncols=3)
