"""Five counts of what a change does, certified and by gradient descent, and the losses template by template."""

from matplotlib.ticker import MaxNLocator

from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, PURPLE, sheet, title

LEAST = "least change"
LOOKS = {"color": BLUE, "marker": "o"}, {"color": ORANGE, "marker": "^"}, {"color": PURPLE, "marker": "v"}
MORE = {"color": GREY, "marker": "s"}  # of weights beyond the second
PANELS = {
    "named": ("named mistakes", "share that come right"),
    "same": ("the same mistake elsewhere", "share that come right"),
    "broken": ("right mappings lost", "mappings, held out"),
    "other": ("other mistakes corrected", "mappings, held out"),
    "net": ("gained less lost", "mappings, held out"),
}


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (part, quantity, kind, template, value, low, high, instances)."""
    panels = figure.subplots(2, 3).ravel()
    rows = table[table["part"] == "change"]
    kinds = _kinds(rows)
    for letter, axes, (quantity, words) in zip("abcde", panels, PANELS.items(), strict=False):
        _means(axes, rows[(rows["quantity"] == quantity) & rows["template"].isna()], kinds)
        axes.set_ylabel(words[1])
        if quantity in ("named", "same"):
            axes.set_ylim(0, 1.05)
        elif quantity != "net":
            axes.set_ylim(0, None)
        else:
            axes.axhline(0, color=BLACK, linewidth=0.6)
        title(axes, letter, words[0])
    _by_template(panels[5], rows[(rows["quantity"] == "broken") & rows["template"].notna()], kinds)
    handles, texts = panels[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=len(texts), handletextpad=0.2)


def _kinds(rows):
    """{kind: (text, look)}, the certified change first, then the largest weight."""
    gradient = sorted({kind for kind in rows["kind"] if kind != LEAST}, key=lambda kind: -float(kind.split()[1]))
    looks = [*LOOKS, *[MORE] * len(gradient)]
    texts = ["certified least change", *(f"gradient, weight {kind.split()[1]}" for kind in gradient)]
    return {kind: (text, look) for kind, text, look in zip([LEAST, *gradient], texts, looks, strict=False)}


def _means(axes, rows, kinds):
    for x, (kind, (text, look)) in enumerate(kinds.items()):
        for row in rows[rows["kind"] == kind].itertuples():
            axes.plot([x], [row.value], linestyle="none", label=text, markersize=5, **look)
            axes.vlines([x], row.low, row.high, color=look["color"], linewidth=1.2)
    axes.set(xticks=[], xlim=(-0.6, len(kinds) - 0.4))


def _by_template(axes, rows, kinds):
    least = rows[rows["kind"] == LEAST].set_index("template")["value"]
    for kind, (_, look) in kinds.items():
        if kind != LEAST:
            own = rows[rows["kind"] == kind].set_index("template")["value"].reindex(least.index)
            axes.plot(least, own, linestyle="none", markersize=3, **look)
    top, right = (1.1 * max(values.max(), 1) for values in (rows["value"], least))
    axes.plot([0, top], [0, top], color=BLACK, linewidth=0.6)
    axes.set(xlabel="lost by the least change", ylabel="lost by gradient descent", xlim=(0, right), ylim=(0, top))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True))
    title(axes, "f", "template by template")
