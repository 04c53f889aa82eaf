"""How far W is from the graded solution, what inputs that mix keep, and how many mix, at every rate."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREY, SERIES, VERMILLION, sheet, title

KINDS = {False: (BLUE, "o", "all inputs saturate"), True: (VERMILLION, "D", "an input mixes")}
COUNTS = {"mix": (VERMILLION, "D", 0.94), "said to mix": (BLACK, "x", 1.06)}
WIDTH = 0.15  # of a rate's strip, as a power of ten


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (kind, rate, step, seed, graded, ..., share, predicted)."""
    a, b, c = figure.subplots(1, 3)
    instances, inputs = (table[table["kind"] == kind] for kind in ("instance", "input"))
    last = instances[instances["step"] == instances["step"].max()]
    for mixed, (colour, marker, words) in KINDS.items():
        rows = last[last["mixed"].astype(bool) == mixed]
        aside = np.random.default_rng(0).uniform(-WIDTH, WIDTH, len(rows)) + (WIDTH if mixed else -WIDTH)
        look = {"color": colour, "marker": marker, "markersize": 2.5, "alpha": 0.6, "linestyle": "none"}
        a.plot(rows["rate"] * 10**aside, rows["graded"], label=words, **look)
    a.set(xscale="log", yscale="log", xlabel="length of $v$'s steps", ylabel="1 − correlation")
    title(a, "a", "$W$ and the graded solution")
    for (rate, rows), colour in zip(inputs.groupby("rate"), SERIES, strict=False):
        look = {"color": colour, "marker": "o", "markersize": 2.5, "linestyle": "none"}
        b.plot(rows["predicted"], rows["share"], label=f"{rate:g}", **look)
    b.plot([0, 1], [0, 1], color=GREY, linewidth=0.6)
    b.set(xlabel="what the law says", ylabel="kept of other tokens")
    b.legend(title="length of $v$'s steps", loc="upper left")
    title(b, "b", "inputs that mix")
    for quantity, (colour, marker, aside) in COUNTS.items():
        rows = table[(table["kind"] == "share") & (table["quantity"] == quantity)]
        c.vlines(rows["rate"] * aside, rows["low"], rows["high"], color=colour, linewidth=0.8)
        c.plot(rows["rate"] * aside, rows["value"], color=colour, marker=marker, linestyle="none", label=quantity)
    c.set(xscale="log", xlabel="length of $v$'s steps", ylabel="share of the inputs")
    c.legend(loc="upper left")
    title(c, "c", "how many mix")
    figure.legend(*a.get_legend_handles_labels(), loc="outside lower center", ncols=2, title="(a)")
