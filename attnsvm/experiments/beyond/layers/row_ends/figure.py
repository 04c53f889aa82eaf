"""How rows end: how many in each way, their probabilities, and both sides of the balance that fixes them."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import across, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, band, sheet

LOOKS = {  # colour, marker, words
    "settled": (GREY, "o", "settled"),
    "held": (BLUE, "o", "held"),
    "free": (VERMILLION, "D", "mixture,\nλ = 0"),
    "tied": (GREEN, "s", "mixture,\nβ = 0"),
    "reversed": (ORANGE, "v", "held against\nits gradient"),
    "open": (PURPLE, "x", "open"),
}
BALANCED = ("held", "tied", "reversed")
FOLLOWED = ("held", "free", "tied", "reversed")


@sheet(height=0.8)
def draw(figure, table):
    """Draw from rows (kind, quantity, end, ..., value, low, high, norm, share, force, law, predicted)."""
    (a, b), (c, d) = figure.subplots(2, 2)
    _shares(a, table[(table["kind"] == "share") & (table["quantity"] == "of rows")])
    _in_time(b, table[table["kind"] == "time"])
    terms = table[table["kind"] == "term"]
    _balance(c, terms[terms["end"].isin(BALANCED)])
    free = terms[terms["end"] == "free"]
    colour, marker, _ = LOOKS["free"]
    d.plot(free["predicted"], free["share"], color=colour, marker=marker, markersize=2.5, linestyle="none")
    d.plot([0, 1], [0, 1], color=BLACK, linewidth=0.6)
    panel(d, "d", "mixtures with λ = 0", xlabel="what the solution says", ylabel="probability")


def _shares(axes, rows):
    for k, (end, (colour, marker, _)) in enumerate(LOOKS.items()):
        own = where(rows, end=end)[["value", "low", "high"]].clip(lower=1e-4)
        across(axes, [k] * len(own), own, colour, marker=marker)
    rungs(axes, [words for _, _, words in LOOKS.values()])
    panel(axes, "a", "how rows end", "x", xlim=(3e-4, 1.3), xlabel="share of rows that do not count")


def _in_time(axes, rows):
    for end in FOLLOWED:
        colour, marker, words = LOOKS[end]
        line = rows[rows["end"] == end].sort_values("norm")
        line = line[line["norm"] > line["norm"].max() / 300]
        band(axes, line, "norm", 0.15, color=colour, marker=marker, label=words.replace("\n", " "))
    if len(line := rows[rows["end"] == "held"].sort_values("norm")):
        end = line.iloc[-1]
        norm = line["norm"][line["norm"] > end["norm"] / 300]
        axes.plot(norm, 0.3 * end["value"] * end["norm"] / norm, color=BLACK, linestyle="--", linewidth=0.6)
    panel(axes, "b", "along training", "xy", "lower left", xlabel="‖W‖", ylabel="probability")


def _balance(axes, terms):
    for end in BALANCED:
        colour, marker, _ = LOOKS[end]
        rows = terms[terms["end"] == end]
        size = 2.5 if end == "held" else 4
        look = {"color": colour, "marker": marker, "markersize": size, "alpha": 0.7, "linestyle": "none"}
        axes.plot(rows["law"].abs(), rows["force"].abs(), **look)
    ends = terms["law"].abs()
    if len(ends):
        axes.plot([ends.min(), ends.max()], [ends.min(), ends.max()], color=BLACK, linewidth=0.6)
    panel(axes, "c", "multipliers are forces", "xy", xlabel="ν/λ, size", ylabel="pull of the gradient, size")
