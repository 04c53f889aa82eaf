"""Alignment and accuracy rung by rung; alignment and rank versus the weight decay of the attention weights."""

import numpy as np

from attnsvm.plots.style import BLACK, COLOUR, GREEN, GREY, NAME, PURPLE, bars, sheet, title

NORMS = ("fro", "nuc")
NORM_OF = {"KQ": "nuc", "W": "fro"}  # the norm of each parametrisation whose weights decay
NORM_MARKERS = {"fro": "o", "nuc": "s"}
QUALITY = {
    "train": (BLACK, "v", "right on trained images"),
    "held_out": (GREEN, "^", "right on held-out images"),
    "saturated": (PURPLE, "D", "saturated inputs"),
}
ALIGNMENT = "cosine with the certified solution"


@sheet(height=0.82)
def draw(figure, table):
    """Draw from rows (part, name, decay, when, quantity, value, low, high, instances)."""
    rungs = table[(table["part"] == "rungs") & (table["when"] == "end")]
    decays = table[table["part"] == "decays"]
    (first, second), (third, fourth) = figure.subplots(2, 2)
    alignment_by_rung(first, rungs)
    quality_by_rung(second, rungs)
    alignment_by_decay(third, decays)
    rank_by_decay(fourth, decays)
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)


def points(axes, rows, places, look, label, filled=True):
    """Medians with their intervals, at x = places[key]; hollow where a null is drawn."""
    x = np.array([places[key] for key in rows["key"]], dtype=float)
    colour, marker = look
    style = {"color": colour, "marker": marker, "linewidth": 0.9, "elinewidth": 0.8, "label": label}
    style |= {} if filled else {"markerfacecolor": "white", "linestyle": ":"}
    axes.errorbar(x, rows["value"], bars(rows), **style)


def alignment_by_rung(axes, rows):
    rows, rungs = rows.assign(key=rows["name"]), list(dict.fromkeys(rows["name"]))
    for shift, norm in zip((-0.08, 0.08), NORMS, strict=True):
        places = {name: k + shift for k, name in enumerate(rungs)}
        look = COLOUR[norm], NORM_MARKERS[norm]
        points(axes, rows[rows["quantity"] == f"alignment_{norm}"], places, look, NAME[norm])
        points(axes, rows[rows["quantity"] == f"null_{norm}"], places, look, "its null: random heads", filled=False)
    by_rung(axes, rungs)
    axes.set(ylim=(0, 1.03), ylabel=ALIGNMENT)
    title(axes, "a", "alignment, rung by rung")


def quality_by_rung(axes, rows):
    rows, rungs = rows.assign(key=rows["name"]), list(dict.fromkeys(rows["name"]))
    for shift, (quantity, (colour, marker, words)) in zip((-0.12, 0, 0.12), QUALITY.items(), strict=True):
        places = {name: k + shift for k, name in enumerate(rungs)}
        points(axes, rows[rows["quantity"] == quantity], places, (colour, marker), words)
    by_rung(axes, rungs)
    axes.set(ylim=(-0.03, 1.03), ylabel="share")
    axes.legend(loc="lower left")
    title(axes, "b", "accuracy, and saturation")


def alignment_by_decay(axes, rows):
    rows = rows.assign(key=rows["decay"])
    for shift, (name, norm) in zip((-0.06, 0.06), NORM_OF.items(), strict=True):
        own = rows[rows["name"] == name]
        places = {decay: k + shift for k, decay in enumerate(sorted(set(own["decay"])))}
        look = COLOUR[norm], NORM_MARKERS[norm]
        points(axes, own[own["quantity"] == f"alignment_{norm}"], places, look, NAME[name])
        points(axes, own[own["quantity"] == f"null_{norm}"], places, look, None, filled=False)
    by_decay(axes, rows)
    axes.set(ylim=(0, 1.03), ylabel=ALIGNMENT)
    axes.legend(loc="upper right", title="decay on")
    title(axes, "c", "alignment under weight decay")


def rank_by_decay(axes, rows):
    rows = rows.assign(key=rows["decay"])
    for shift, (name, norm) in zip((-0.06, 0.06), NORM_OF.items(), strict=True):
        own = rows[rows["name"] == name]
        places = {decay: k + shift for k, decay in enumerate(sorted(set(own["decay"])))}
        look = COLOUR[norm], NORM_MARKERS[norm]
        points(axes, own[own["quantity"] == "effective_rank"], places, look, NAME[name])
    by_decay(axes, rows)
    axes.set(yscale="log", ylabel="effective rank of $W$ or $KQ^T$")
    axes.set_yticks([1, 2, 5, 10], ["1", "2", "5", "10"], minor=False)
    axes.minorticks_off()
    axes.legend(loc="best", title="decay on")
    title(axes, "d", "rank under weight decay")


def by_rung(axes, rungs):
    axes.set_xticks(range(len(rungs)), rungs, rotation=25, ha="right", rotation_mode="anchor")
    axes.set_xlabel("what is trained, one change per rung", color=GREY)


def by_decay(axes, rows):
    decays = sorted(set(rows["decay"]))
    axes.set_xticks(range(len(decays)), [f"{decay:g}" for decay in decays])
    axes.set_xlabel("weight decay of the attention weights")
