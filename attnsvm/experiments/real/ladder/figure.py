"""Alignment and accuracy rung by rung; alignment and rank versus the weight decay of the attention weights."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, look, panel
from attnsvm.plots.style import BLACK, COLOUR, GREEN, GREY, NAME, PURPLE, bars, sheet

NORMS = ("fro", "nuc")
NORM_OF = {"KQ": "nuc", "W": "fro"}  # the norm of each parametrisation whose weights decay
LOOKS = {norm: look(COLOUR[norm], marker=marker) for norm, marker in (("fro", "o"), ("nuc", "s"))}
NULL = {"markerfacecolor": "white", "linestyle": ":"}
QUALITY = {
    "train": (BLACK, "v", "right on trained images"),
    "held_out": (GREEN, "^", "right on held-out images"),
    "saturated": (PURPLE, "D", "saturated inputs"),
}
ALIGNMENT = "cosine with the certified solution"


@sheet(height=0.82)
def draw(figure, table):
    """Draw from rows (part, name, decay, when, quantity, value, low, high, instances)."""
    rungs, decays = where(table, part="rungs", when="end"), where(table, part="decays")
    (first, second), (third, fourth) = figure.subplots(2, 2)
    names, levels = list(dict.fromkeys(rungs["name"])), sorted(set(decays["decay"]))
    for shift, norm in zip((-0.08, 0.08), NORMS, strict=True):
        places = {name: k + shift for k, name in enumerate(names)}
        alignment(first, rungs, places, norm, NAME[norm], "its null: random heads")
    for shift, (quantity, (colour, marker, words)) in zip((-0.12, 0, 0.12), QUALITY.items(), strict=True):
        places = {name: k + shift for k, name in enumerate(names)}
        points(second, where(rungs, quantity=quantity), places, look(colour, marker=marker, label=words))
    for shift, (name, norm) in zip((-0.06, 0.06), NORM_OF.items(), strict=True):
        own, places = where(decays, name=name), {decay: k + shift for k, decay in enumerate(levels)}
        alignment(third, own, places, norm, NAME[name], None)
        points(fourth, where(own, quantity="effective_rank"), places, LOOKS[norm] | {"label": NAME[name]})
    for axes in (first, second):
        axes.set_xticks(range(len(names)), names, rotation=25, ha="right", rotation_mode="anchor")
        axes.set_xlabel("what is trained, one change per rung", color=GREY)
    for axes in (third, fourth):
        axes.set_xticks(range(len(levels)), [f"{decay:g}" for decay in levels])
        axes.set_xlabel("weight decay of the attention weights")
    panel(first, "a", "alignment, rung by rung", ylim=(0, 1.03), ylabel=ALIGNMENT)
    panel(second, "b", "accuracy, and saturation", legend="lower left", ylim=(-0.03, 1.03), ylabel="share")
    legend = {"loc": "upper right", "title": "decay on"}
    panel(third, "c", "alignment under weight decay", legend=legend, ylim=(0, 1.03), ylabel=ALIGNMENT)
    rank = "effective rank of $W$ or $KQ^T$"
    panel(fourth, "d", "rank under weight decay", "y", {"title": "decay on"}, ylabel=rank)
    fourth.set_yticks([1, 2, 5, 10], ["1", "2", "5", "10"], minor=False)
    fourth.minorticks_off()
    key(figure, first, above=True, ncols=4)


def alignment(axes, rows, places, norm, *labels):
    """The alignment in a norm and that of its null, hollow."""
    own = LOOKS[norm]
    for quantity, label, face in zip(("alignment", "null"), labels, ({}, NULL), strict=True):
        points(axes, where(rows, quantity=f"{quantity}_{norm}"), places, own | face | {"label": label})


def points(axes, rows, places, own):
    """Medians with their intervals, at the places of their rung or their decay."""
    keys = rows["name"] if rows["part"].iloc[0] == "rungs" else rows["decay"]
    x = np.array([places[key] for key in keys], dtype=float)
    axes.errorbar(x, rows["value"], bars(rows), linewidth=0.9, elinewidth=0.8, **own)
