"""The mapping head and its controls by depth, and the right answers fitted: by number, by layer, against softmax."""

from matplotlib.ticker import MaxNLocator

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

HEADS = {
    "head": ("the head", {"color": VERMILLION, "marker": "o"}),
    "random": ("random heads", {"color": ORANGE, "marker": "^"}),
    "permuted": ("permuted", {"color": GREY, "marker": "x"}),
    "mismatched": ("mismatched", {"color": PURPLE, "marker": "v"}),
    "position": ("position", {"color": SKY, "marker": "", "linestyle": ":"}),
    "same token": ("same token", {"color": GREEN, "marker": "", "linestyle": ":"}),
    "string": ("same string", {"color": BLACK, "marker": "", "linestyle": "--"}),
}
FITS = {
    "svm": ("max margin", {"color": BLUE, "marker": "o"}),
    "cosine": ("most alike", {"color": GREEN, "marker": "D"}),
    "random answers": ("random answers", {"color": GREY, "marker": "x"}),
}
SOFTMAX = {"color": ORANGE, "marker": "^"}, {"color": PURPLE, "marker": "v"}


@sheet(height=0.72)
def draw(figure, table):
    """Draw from rows (part, quantity, layer, head, inputs, kind, value, low, high, instances, mapping)."""
    (a, b, c), (d, e, f) = figure.subplots(2, 3)
    heads, fits = (table[table["part"] == part] for part in ("heads", "answers"))
    read = heads[heads["head"].isin(heads[heads["mapping"] == 1]["head"])]
    right, lead, separable = (fits[fits["quantity"] == name] for name in ("right", "lead", "separable"))
    _accuracy(a, heads[heads["quantity"] == "right"], right[right["kind"] == "string"])
    _by_layer(b, read[read["quantity"] == "alignment"], bars=False)
    b.set_ylabel("cosine with the SVM solution")
    title(b, "b", "the head, aligned")
    _by_layer(c, read[read["quantity"] == "predicted"], bars=True)
    c.set(ylabel="held-out selections predicted", ylim=(0, 1.02))
    title(c, "c", "the head, predicted")
    layer = heads[heads["mapping"] == 1]["layer"].iloc[0]
    _by_number(d, right[right["layer"] == layer])
    at = right[right["layer"] != layer]["inputs"].max()
    _answers_by_layer(e, right[right["inputs"] == at], separable[separable["inputs"] == at])
    _lead(f, lead[lead["layer"] == layer])
    for axes in (a, b, c, e):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    handles = [line for axes in (b, c) for line in axes.get_lines() if not line.get_label().startswith("_")]
    named = {line.get_label(): line for line in handles}
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=len(named), handlelength=1.6)


def _bars(axes, rows, x, look, text):
    """A line with its intervals."""
    axes.plot(rows[x], rows["value"], label=text, **look)
    axes.vlines(rows[x], rows["low"], rows["high"], color=look["color"], linewidth=0.8)


def _accuracy(axes, rows, string):
    read = rows["head"].isin(rows[rows["mapping"] == 1]["head"])
    others = rows[~read]
    axes.plot(others["layer"], others["value"], linestyle="none", marker=".", color=GREY, label="other heads")
    _bars(axes, rows[read].sort_values("layer"), "layer", HEADS["head"][1], "the head")
    if len(string):
        axes.axhline(string["value"].iloc[0], color=BLACK, linestyle="--", linewidth=0.9, label="same string")
    axes.set(xlabel="layer", ylabel="right atoms", ylim=(0, 1.02))
    handles, texts = axes.get_legend_handles_labels()
    axes.legend(handles[:1], texts[:1], loc=(0.4, 0.27), handletextpad=0.1)  # the others stand above
    title(axes, "a", "one head maps")


def _by_layer(axes, rows, bars):
    for kind, (text, look) in HEADS.items():
        own = rows[rows["kind"] == kind].sort_values("layer")
        if len(own) and bars and look["marker"]:
            _bars(axes, own, "layer", look, text)
        elif len(own):
            axes.plot(own["layer"], own["value"], label=text, **look)
    axes.set_xlabel("layer")


def _looks(rows):
    """{kind: (text, look)} of the fits that there are."""
    ridges = sorted({kind.split()[1] for kind in rows["kind"] if kind.startswith("softmax")}, key=float, reverse=True)
    return FITS | {
        f"softmax {ridge}": (f"softmax, ridge {ridge}", look) for ridge, look in zip(ridges, SOFTMAX, strict=False)
    }


def _by_number(axes, rows):
    for kind, (text, look) in _looks(rows).items():
        own = rows[rows["kind"] == kind].sort_values("inputs")
        _bars(axes, own, "inputs", look, text)
    head = rows[rows["kind"] == "head"]["value"].iloc[0]
    axes.axhline(head, color=VERMILLION, linestyle="--", linewidth=0.9, label="the head itself")
    axes.set(xscale="log", xlabel="fitted reactions", ylabel="right atoms", ylim=(0, 1.02))
    axes.legend(loc="center right", fontsize="small", handlelength=1.4)
    title(axes, "d", "right answers fitted")


def _answers_by_layer(axes, rows, separable):
    for kind, (_, look) in _looks(rows).items():
        own = rows[rows["kind"] == kind].sort_values("layer")
        if kind != "random answers":
            _bars(axes, own, "layer", look, None)
    bare = rows[rows["kind"] == "untrained svm"]
    points = {"random weights": (bare["layer"], bare["value"], {"marker": "s", "color": BLACK})}
    none = separable[(separable["kind"] == "svm") & (separable["value"] == 0)]
    if len(none):
        look = {"marker": "X", "markersize": 6, "color": BLUE}
        points["no W exists"] = (none["layer"], none["value"], look)
    for text, (x, y, look) in points.items():
        axes.plot(x, y, linestyle="none", label=text, **look)
    axes.set(xlabel="layer", ylabel="right atoms", ylim=(-0.05, 1.02))
    axes.legend(loc=(0.35, 0.38), handletextpad=0.1)
    title(axes, "e", "right answers, layer by layer")


def _lead(axes, rows):
    for kind, (text, look) in _looks(rows).items():
        if kind.startswith("softmax"):
            _bars(axes, rows[rows["kind"] == kind].sort_values("inputs"), "inputs", look, text)
    axes.axhline(0, color=BLACK, linewidth=0.6)
    axes.set(xscale="log", xlabel="fitted reactions", ylabel="max margin less softmax")
    title(axes, "f", "lead of the margin")
