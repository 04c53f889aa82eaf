"""Other steps: plain descent takes the same path, steps of unequal lengths grade the margins, Adam takes its time."""

from itertools import pairwise

import numpy as np

from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Estimate, Limit, exact, sample_median, share_of, smallest
from attnsvm.audit.rows import where

RIVALS = ("margin 0", "free", "frobenius")
LAYERS = {"top": "top", "layer below": "graded"}
CLAIMS = Claims(group="beyond")


def ratios(tables, run, rule) -> Estimate:
    """The median margin ratio, with its interval."""
    rows = some(where(tables.own(), run=run, rule=rule), f"measured instance of {run}")
    return sample_median(rows["value"])


@CLAIMS.add(
    short="plain descent: the same path, slower",
    statement="Two layers under plain descent pass the weights of normalised descent: at equal ‖W‖ they are the same.",
    measured="largest 1 − correlation with normalised descent by short steps at equal ‖W‖",
    limit=Limit(1e-4, "≤ {}", "a tenth of the distance that counts as near; steps of this length cost some of it"),
)
def layers_plain(tables, limit):
    """The farthest that normalised descent is from plain descent at equal ‖W‖, and that a norm per layer is."""
    rows = some(where(tables.own(), run="plain"), "run of plain descent")
    found = {
        name: some(where(rows, rule=name), f"distance from descent with {words}").set_index(["seed", "step"])
        for name, words in (("normalised", "one norm"), ("a norm per layer", "a norm per layer"))
    }
    one, other = found["normalised"]["value"].align(found["a norm per layer"]["value"], join="inner")
    some(one, "step at which both distances were measured")
    longest = found["normalised"]["norm"].groupby("seed").max().median()
    near = {f"largest of {len(one)} weights, to ‖W‖ = {longest:.1f} in the median": limit(one.max())}
    farther = {f"with a norm per layer each is farther (median {other.median():.2g})": bool((other > one).all())}
    return Reading(*exact(one.max(), one.index.get_level_values("seed").nunique()), near, farther, every=True)


@CLAIMS.add(
    short="graded margins in every norm",
    statement="Where each layer takes sign or spectral steps, the lower ones longer, it goes to graded margins in "
    "the norm of its steps.",
    measured="median margin ratio by graded margins (best: 1), rows asked for .1 or more, the smaller of both rules",
    limit=Limit(0.9, "≥ {}", "what is missing falls with the steps; for one layer .95 is asked"),
    ahead=Limit(0.5, "share of instances in which graded margins lead > {}", "beyond doubt more than half"),
)
def layers_graded_norms(tables, limit, ahead):
    """The margin ratio of the layer below by graded margins, and how often it leads each rival."""
    found, parts, leads = {}, {}, {}
    for run in ("sign, 5:1", "spectral, 5:1"):
        found[run] = own = ratios(tables, run, "graded")
        parts[f"{run}: {own.value:.3f}"] = limit(own)
        below = where(tables.own(), run=run, layer=1)
        graded = where(below, rule="graded").set_index("seed")["value"]
        for name in RIVALS:
            rival = some(where(below, rule=name), f"margin ratio by '{name}' of {run}").set_index("seed")["value"]
            lead = share_of(np.greater(*graded.align(rival, join="inner")))
            leads[f"{run}: ahead of '{name}' ({rival.median():.3f}) in {lead.value:.2f}"] = ahead(lead)
    return Reading(*smallest(found), parts, leads)


@CLAIMS.add(
    short="Adam: the max norm, in its own time",
    statement="Adam takes each layer to its max-norm SVM, later the longer its memory. With β2 = .9 both are there, "
    "with .99 and .999 not yet.",
    measured="median margin ratio in the max norm with β2 = .9 (best: 1), the smaller of both layers",
    limit=Limit(0.95, "≥ {}", "as `rules_layers` asks"),
)
def layers_adam(tables, limit):
    """The margin ratios of both layers under Adam: near one with a short memory, and less the longer it is."""
    found, parts = {}, {}
    for layer, rule in LAYERS.items():
        each = [ratios(tables, f"Adam, β2 = {beta2}", rule) for beta2 in (".9", ".99", ".999")]
        found[layer] = each[0]
        parts[f"{layer}: {each[0].value:.3f} with β2 = .9"] = limit(each[0])
        said = ", then ".join(f"{one.value:.3f}" for one in each[1:])
        parts[f"{layer}: less the longer the memory ({said}), intervals apart"] = all(
            after.high < before.low for before, after in pairwise(each)
        )
    return Reading(*smallest(found), parts)
