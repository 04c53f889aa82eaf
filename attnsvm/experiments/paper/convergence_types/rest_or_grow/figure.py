"""Where runs that are not global end, as first asked and trained longer: those that grow, and those that rest."""

from attnsvm.plots.panels import least, panel
from attnsvm.plots.style import BLUE, GREY, NAME, ORANGE, sheet

LOOKS = {
    "grows": ("norm grows", {"color": BLUE, "marker": "o"}),
    "rests": ("norm rests", {"color": ORANGE, "marker": "s"}),
    "between": ("neither", {"color": GREY, "marker": "x"}),
}
QUERY = {"cross": "free query", "self": "self-attention"}
LEAST = 1e-9  # nearer than the solver's gap lets one say


@sheet(height=0.36)
def draw(figure, table):
    """Draw from rows (attention, parametrisation, d, seed, growth, course, first, separable, local, global, before,
    distance)."""
    panels = [(attention, name) for attention in QUERY for name in ("W", "KQ")]
    row = figure.subplots(1, len(panels), sharex=True, sharey=True)
    for axes, letter, (attention, name) in zip(row, "abcd", panels, strict=True):
        own = table[(table["attention"] == attention) & (table["parametrisation"] == name)]
        for course, (label, look) in LOOKS.items():
            runs = own[own["course"] == course]
            places = (runs[column].clip(lower=LEAST) for column in ("before", "distance"))
            axes.plot(*places, **look, linestyle="none", markersize=3, alpha=0.6, label=label)
        axes.plot([LEAST, 1], [LEAST, 1], color=GREY, linewidth=0.6, linestyle=":", label="as far as before")
        panel(axes, letter, f"{NAME[name]}, {QUERY[attention]}", "xy", yticks=(LEAST, 1e-6, 1e-3, 1))
    least(row[0].yaxis, LEAST)
    row[0].set(ylabel="1 − correlation, trained longer")
    figure.supxlabel("1 − correlation with the solution of what is selected, as first asked", fontsize="medium")
    handles, labels = row[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(handles))
