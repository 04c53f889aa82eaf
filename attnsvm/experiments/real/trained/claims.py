"""What of a trained head looks like a max-margin separator, and which null model takes it away."""

from attnsvm.audit.numbers import Limit, each, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, single, where

LAYERS = (1, 2)
MEDIANS = "mean over a layer's heads, median over networks with a 95 % interval, after the last update"
ELSEWHERE = "What holds instead stands in the audit of `snakemake figures/trained_again`, which is optional."
CLAIMS = Claims(group="beyond")


def at(tables, layer, quantity, end=True):
    """What was measured in a layer after the last update, or before the first."""
    rows = some(where(tables.own(), layer=layer, quantity=quantity), f"measured head in layer {layer}")
    return estimate(single(last(rows) if end else rows[rows["step"] == rows["step"].min()]))


@CLAIMS.add(
    short="against permutation every head passes",
    statement="Every trained head looks like the SVM of what it selects if permuted selections are the null, and so "
    "does every untrained one: this null says nothing about training.",
    check=f"cosine with the certified solution, less that with the solution of permuted selections; {MEDIANS}",
    measured="difference of the cosines, the layer with less",
    asked=Limit(0.0, "> {}", "the whole interval above zero, in both layers, before and after training"),
)
def trained_permuted(tables, asked):
    trained, untrained = (
        [at(tables, layer, "alignment_above_permuted_fro", end) for layer in LAYERS] for end in (True, False)
    )
    parts = {
        "trained heads of both layers are above it": all(map(asked, trained)),
        "and so are untrained ones": all(map(asked, untrained)),
    }
    return Reading(*asked.worst(trained), parts)


@CLAIMS.add(
    short="against random heads training shows",
    statement="After training the heads are better aligned with the SVM of what they select than random heads of the "
    "same singular values are.",
    check=f"cosine with the certified solution, less that of a random head; {MEDIANS}",
    measured="difference of the cosines, the layer with less",
    asked=Limit(0.0, "> {}", "the whole interval above zero in both layers; untrained heads are the control"),
    untrained=Limit(0.1, "untrained, above the null < {}", "less is as good as none"),
    unsharpened=ELSEWHERE,
)
def trained_random(tables, asked, untrained):
    ends = {layer: at(tables, layer, "alignment_above_random_fro") for layer in LAYERS}
    starts = [at(tables, layer, "alignment_above_random_fro", end=False) for layer in LAYERS]
    words = f"untrained heads are less than {untrained.value} above it"
    parts = each(ends, "layer {} is above it", asked) | {words: all(map(untrained, starts))}
    return Reading(*asked.worst(ends), parts)


@CLAIMS.add(
    short="the SVM predicts unseen selections",
    statement="The SVM fitted on some images predicts what a trained head selects on others, better than for random "
    "heads and better than the place that is selected most.",
    check=f"share predicted on held-out images, less that of the comparison; {MEDIANS}",
    measured="difference of the shares, the least of four",
    asked=Limit(0.0, "> {}", "the whole interval above zero, in both layers and against both comparisons"),
    unsharpened=ELSEWHERE,
)
def trained_predicted(tables, asked):
    found = {
        f"layer {layer}: above {words}": at(tables, layer, f"predicted_above_{other}_fro")
        for layer in LAYERS
        for other, words in (("random", "random heads"), ("place", "the most selected place"))
    }
    return Reading(*asked.worst(found), each(found, "{}", asked))


@CLAIMS.add(
    short="but no head is max-margin",
    statement="A network that classifies well has heads whose margin is far from the largest: the limit of the theory "
    "is not reached, nor needed.",
    check=f"smallest margin of W over the largest of any matrix of its norm; {MEDIANS}",
    measured="margin over the largest, the wider layer",
    asked=Limit(0.5, "≤ {}", "half of the largest margin; a head that descent had brought to its limit would have one"),
    right=Limit(0.9, "share of held-out digits right ≥ {}", "nine in ten: the network has learned them"),
)
def trained_margin(tables, asked, right):
    found = {layer: at(tables, layer, "margin_own_fro") for layer in LAYERS}
    parts = each(found, f"layer {{}}: upper end at most {asked.value}", asked)
    parts["the network is right on nine of ten held-out digits"] = right(at(tables, 0, "held_out"))
    return Reading(*asked.worst(found), parts)
