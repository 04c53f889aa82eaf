"""Every layer's heads along training beside their nulls, and the accuracy."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, VERMILLION, canvas, title

LAYERS = {1: (BLUE, "o"), 2: (VERMILLION, "s")}
DASHES = {"own": "-", "random": (0, (3.2, 1.4)), "other": (0, (1, 1.2))}


def draw(table, settings):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    with canvas(settings, height=0.76) as figure:
        (first, second), (third, fourth) = figure.subplots(2, 2)
        beside(first, table, "alignment_own_fro", "alignment_random_fro", "alignment_permuted_fro")
        first.set(ylabel="cosine with the certified solution", ylim=(-0.03, 1.03))
        title(first, "a", "alignment")
        beside(second, table, "predicted_own_fro", "predicted_random_fro", "place_predicted_fro")
        second.set(ylabel="share predicted", ylim=(-0.03, 1.03))
        title(second, "b", "what a head selects on other images")
        beside(third, table, "margin_own_fro", "margin_random_fro", None)
        third.set(ylabel="margin over the largest", ylim=(0, None))
        title(third, "c", "margin")
        for name, colour, marker, words in (("train", BLACK, "v", "trained on"), ("held_out", GREEN, "^", "held out")):
            line(fourth, table[table["quantity"] == name], table, colour, marker, DASHES["own"], words)
        fourth.set(ylabel="share right", ylim=(0, 1.03))
        fourth.legend(loc="lower right")
        title(fourth, "d", "accuracy")
        for axes in (third, fourth):
            axes.set_xlabel("updates")
        handles, labels = first.get_legend_handles_labels()
        more = [pair for pair in zip(*second.get_legend_handles_labels(), strict=True) if pair[1] not in labels]
        for handle, label in more:
            handles.append(handle)
            labels.append(label)
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
    return figure


NAMES = {"random": "random heads", "permuted": "permuted selections", "place": "most selected place"}


def beside(axes, table, own, null, other):
    """One quantity per layer, with its null and another comparison."""
    for layer, (colour, marker) in LAYERS.items():
        rows = table[table["layer"] == layer]
        line(axes, rows[rows["quantity"] == own], table, colour, marker, DASHES["own"], f"heads of layer {layer}")
        words = f"{NAMES['random']}, layer {layer}"
        line(axes, rows[rows["quantity"] == null], table, colour, marker, DASHES["random"], words, hollow=True)
        if other:
            words = f"{NAMES['place' if other.startswith('place') else 'permuted']}, layer {layer}"
            line(axes, rows[rows["quantity"] == other], table, GREY, marker, DASHES["other"], words, hollow=True)


def line(axes, rows, table, colour, marker, dashes, words, hollow=False):
    """Medians with their intervals; steps are equally spaced, whatever lies between them."""
    places = {step: k for k, step in enumerate(sorted(set(table["step"])))}
    rows = rows.sort_values("step")
    ends = np.abs(rows[["low", "high"]].to_numpy().T - rows["value"].to_numpy())
    face = {"markerfacecolor": "white"} if hollow else {}
    look = {"color": colour, "marker": marker, "linestyle": dashes, "linewidth": 0.9, "elinewidth": 0.7}
    axes.errorbar([places[step] for step in rows["step"]], rows["value"], ends, label=words, **look, **face)
    axes.set_xticks(range(len(places)), places)
