"""What of a trained head looks like a max-margin separator, and which null model takes it away."""

from attnsvm.audit.conditions import LAST, LEAST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="beyond")
heads = number(layer=(1, 2), missing="measured head in layer {layer}")
OVER_HEADS = "cosine with the certified solution less that of {}, mean over a layer's heads"
above_permuted = heads(quantity="alignment_above_permuted_fro", text=OVER_HEADS.format("permuted selections"))
above_random = heads(quantity="alignment_above_random_fro", text=OVER_HEADS.format("a random head"))
PREDICTED = "share predicted on held-out images less that of the comparison"
BOTH = "> 0", "the whole interval above zero, in both layers, before and after training"
NULLS = {"predicted_above_random_fro": "random heads", "predicted_above_place_fro": "the most selected place"}

CLAIMS.declare(
    "trained_random",
    above_random(step=LAST).must(
        "> 0",
        "the whole interval above zero in both layers; untrained heads are the control",
        "layer {layer} is above it",
    ),
    above_random(step=LEAST).must(
        "untrained, above the null < 0.1", "less is as good as none", "untrained heads are less than 0.1 above it"
    ),
    short="trained heads align better than random ones",
    statement="In the median, heads of a network trained on digits align better with the SVM of their selections than "
    "random heads of the same spectrum.",
)

CLAIMS.declare(
    "trained_permuted",
    (
        above_permuted(step=LAST).must(*BOTH, "trained heads of both layers are above it"),
        above_permuted(step=LEAST).must(*BOTH, "and so are untrained ones"),
    ),
    short="against permutation heads pass, trained or not",
    statement="Beside permuted selections trained heads look, in the mean of a layer, like the SVM of what they "
    "select, and so do untrained ones.",
)

CLAIMS.declare(
    "trained_predicted",
    heads(quantity=tuple(NULLS), step=LAST, text=PREDICTED).must(
        "> 0",
        "the whole interval above zero, in both layers and against both comparisons",
        "layer {layer}: above {quantity}",
        names=NULLS,
    ),
    short="the SVM predicts unseen selections",
    statement="The SVM of some images predicts what a trained head selects on others better than for random heads "
    "and than the most selected place.",
)

CLAIMS.declare(
    "trained_margin",
    heads(quantity="margin_own_fro", step=LAST, text="margin over the largest of W's norm").must(
        "≤ 0.5",
        "half of the largest margin; a head that descent had brought to its limit would have one",
        "layer {layer}: upper end at most 0.5",
    ),
    number(layer=0, quantity="held_out", step=LAST, missing="held-out digits").must(
        "share of held-out digits right ≥ 0.9",
        "nine in ten: the network has learned them",
        "the network is right on nine of ten held-out digits",
    ),
    short="but no head is max-margin",
    statement="A network that classifies well has heads whose margin is far from the largest: the limit of the theory "
    "is not reached, nor needed.",
)

# What holds instead, asked of other networks: it is the upper layer in which training shows.


def upper_layer(difference, wanted, why, little, found):
    """The difference from random heads in both layers, and in the upper one before training."""
    return (
        difference.must(wanted, why, "layer {layer} is above random heads ({value:.2g})"),
        difference(step=LEAST).below(difference, "and above itself before training ({value:.2g}), intervals apart"),
        difference(layer=1).must(little, found, "layer {layer} is above them by less than the threshold ({value:.2g})"),
    )


CLAIMS.declare(
    "trained_random_upper",
    *upper_layer(
        above_random(layer=2, step=LAST),
        "> 0.02",
        "the whole interval, which must lie above that of untrained heads",
        "difference in the lower layer ≤ 0.15",
        "the upper end that was found for it, 0.12",
    ),
    sharpens="trained_random",
    on="trained_again",
    short="against random heads: the upper layer",
    statement="After training, heads of the upper layer are better aligned with the SVM of what they select than "
    "random heads of the same singular values.",
)

CLAIMS.declare(
    "trained_predicted_upper",
    *upper_layer(
        heads(quantity="predicted_above_random_fro", layer=2, step=LAST, text=PREDICTED),
        "> 0.1",
        "the whole interval above a tenth of the images",
        "difference in the lower layer ≤ 0.2",
        "the upper end that was found for it, 0.17",
    ),
    heads(quantity="predicted_above_place_fro", step=LAST).must(
        "above the most selected place > 0",
        "above zero, the whole interval, both layers",
        "layer {layer} is above the most selected place ({value:.2g})",
    ),
    sharpens="trained_predicted",
    on="trained_again",
    short="unseen selections: the upper layer",
    statement="The SVM of some images predicts what an upper head selects on others better than for random heads, by "
    "a tenth or more.",
)
