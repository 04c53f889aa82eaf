"""Heads and their controls: alignment, held-out prediction, the sink, training, and what is left of each claim."""

from matplotlib.lines import Line2D

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import look, panel
from attnsvm.plots.style import BLACK, BLUE, COLOUR, DASHES, GREY, NAME, ORANGE, VERMILLION, band, sheet, title

KINDS = {"head": "the encoder's heads", "random": "random heads", "permuted": "permuted selections"}
LOOKS = {
    "head": look(BLUE, marker="o"),
    "random": look(ORANGE, marker="^"),
    "permuted": look(GREY, marker="x"),
    "rule": look(BLACK, "--"),
    "chance": look(BLACK, ":"),
}
WORDS = {
    ("alignment", "fro", "all"): "aligned,\nFrobenius",
    ("alignment", "nuc", "all"): "aligned,\nnuclear",
    ("predicted", "fro", "all"): "predicted",
    ("margin_ratio", "fro", "all"): "margin of\nsink heads",
    ("margin_ratio", "fro", "plain"): "without\ndelimiters",
}
CONTROLS = {"permuted": "permuted", "random": "random\nheads", "rule": "rule of\nposition"}


@sheet(height=0.8)
def draw(figure, table):
    """Draw from rows (part, norm, tokens, inputs, kind, quantity, layer, head, step, value, low, high, instances)."""
    above, below = figure.subfigures(2, 1)
    a, b, c = above.subplots(1, 3)
    d, e, f = below.subplots(1, 3, width_ratios=(1, 1.1, 1.05))
    heads = where(table, part="head")
    _alignment(a, heads, "fro", "a", "aligned, Frobenius norm")
    _alignment(b, heads, "nuc", "b", "aligned, nuclear norm")
    low, high = zip(a.get_ylim(), b.get_ylim(), strict=True)
    for axes in (a, b):
        axes.set_ylim(min(low), max(high))
    a.set_ylabel("cosine of $W$ with the SVM solution")
    _prediction(c, where(table, part="mean", quantity="predicted"))
    _sink(d, heads)
    _trained(e, where(table, part="trained"))
    _controls(f, where(table, part="share"))
    handles = [Line2D([], [], linestyle="none", markersize=3.5, label=KINDS[k], **LOOKS[k]) for k in KINDS]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)


def _alignment(axes, heads, norm, letter, text):
    rows = where(heads, quantity="alignment", norm=norm)
    wide = max(int(rows["head"].max()) + 1, 2) if len(rows) else 2
    for k, kind in enumerate(KINDS):
        own = where(rows, kind=kind)
        place = own["layer"] + 0.28 * (k - 1) + 0.2 * (own["head"] / (wide - 1) - 0.5)
        axes.plot(place, own["value"], linestyle="none", markersize=2.2, **LOOKS[kind])
    axes.axhline(0, color=GREY, linewidth=0.6)
    panel(axes, letter, text, xlabel="layer", xticks=sorted(rows["layer"].unique()))


def _prediction(axes, rows):
    known = {**KINDS, "rule": "rule of position", "chance": "a guess"}
    flat = where(rows, kind="head")["inputs"]
    for kind, text in known.items():
        own = where(rows, kind=kind).sort_values("inputs")
        if kind in ("rule", "chance"):  # they fit no SVM: the same for any number of inputs
            value = own["value"].iloc[0]
            axes.plot([flat.min(), flat.max()], [value, value], label=text, **LOOKS[kind])
        else:
            axes.plot(own["inputs"], own["value"], **LOOKS[kind])
            axes.vlines(own["inputs"], own["low"], own["high"], color=LOOKS[kind]["color"], linewidth=1.0)
    words = {"xlabel": "fitted sentences", "ylabel": "held-out selections predicted"}
    panel(axes, "c", "prediction (bars: 95 %)", legend="center right", ylim=(0, None), **words)


def _sink(axes, heads):
    rows = where(heads, quantity="margin_ratio", kind="random")
    chosen = where(heads, quantity="delimiter").set_index(["layer", "head"])["value"]
    looks = {
        "all": look(VERMILLION, "none", "o", "all tokens"),
        "plain": look(GREY, "none", "o", "delimiters left out", markerfacecolor="none"),
    }
    for tokens, own in looks.items():
        drawn = where(rows, tokens=tokens).set_index(["layer", "head"])["value"]
        axes.plot(chosen.reindex(drawn.index), drawn, markersize=2.6, **own)
    axes.axhline(1, color=BLACK, linewidth=0.6)
    words = {"xlabel": "share of inputs that select\na delimiter", "ylabel": "margin, relative to random heads"}
    panel(axes, "d", "the sink", "y", {"loc": "upper left", "handletextpad": 0.1}, **words)


def _trained(axes, rows):
    for (kind, norm), own in rows.groupby(["kind", "norm"], sort=False):
        words = f"{NAME[kind]}, {NAME[norm].split()[0]}"
        line = look(COLOUR[kind], DASHES[norm], label=words, linewidth=1.4 if COLOUR[kind] == COLOUR[norm] else 0.8)
        band(axes, own.sort_values("step"), "step", alpha=0.15, **line)
    legend = {"loc": "lower left", "handlelength": 1.8}
    panel(axes, "e", "trained by us", "xy", legend, xlabel="step", ylabel="1 − correlation with the SVM")


def _controls(axes, rows):
    """A table: blue where the whole interval is above one half, red where it is below, grey in between."""
    axes.set(xlim=(-0.5, len(CONTROLS) - 0.5), ylim=(len(WORDS) - 0.5, -0.5))
    for y, key in enumerate(WORDS):
        for x, kind in enumerate(CONTROLS):
            own = rows[(rows[["quantity", "norm", "tokens"]] == list(key)).all(axis=1) & (rows["kind"] == kind)]
            for row in own.itertuples():
                colour = BLUE if row.low > 0.5 else VERMILLION if row.high < 0.5 else GREY
                axes.text(x, y, f"{100 * row.value:.0f} %", ha="center", va="bottom", color=colour, weight="bold")
                interval = f"{100 * row.low:.0f}–{100 * row.high:.0f}"
                axes.text(x, y + 0.08, interval, ha="center", va="top", color=colour, fontsize="small")
    axes.set_xticks(range(len(CONTROLS)), CONTROLS.values())
    axes.set_yticks(range(len(WORDS)), WORDS.values())
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.set_xlabel("interval above ½: blue,\nbelow: red, neither: grey")
    axes.grid(visible=False)
    title(axes, "f", "heads above each control")
