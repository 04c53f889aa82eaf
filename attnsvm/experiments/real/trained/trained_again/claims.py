"""What holds of trained heads against random ones: it is the upper layer in which training shows."""

from attnsvm.audit.conditions import LAST, LEAST, number
from attnsvm.audit.reading import Claims

MEDIANS = "mean over a layer's heads, median over networks with a 95 % interval, after the last update; other networks"
upper = number(layer=2, step=LAST, missing="measured head in layer {layer}")
CLAIMS = Claims(group="beyond", seeds=(100000, 100015))


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
        upper(quantity="alignment_above_random_fro"),
        "> 0.02",
        "the whole interval, which must lie above that of untrained heads",
        "difference in the lower layer ≤ 0.15",
        "the upper end that was found for it, 0.12",
    ),
    sharpens="trained_random",
    short="against random heads: the upper layer",
    statement="After training the heads of the upper layer are better aligned with the SVM of what they select than "
    "random heads of the same singular values; in the lower layer the difference is small.",
    check=f"cosine with the certified solution, less that of a random head; {MEDIANS}",
    measured="difference of the cosines, upper layer",
)

CLAIMS.declare(
    "trained_predicted_upper",
    *upper_layer(
        upper(quantity="predicted_above_random_fro"),
        "> 0.1",
        "the whole interval above a tenth of the images",
        "difference in the lower layer ≤ 0.2",
        "the upper end that was found for it, 0.17",
    ),
    upper(layer=(1, 2), quantity="predicted_above_place_fro").must(
        "above the most selected place > 0",
        "above zero, the whole interval, both layers",
        "layer {layer} is above the most selected place ({value:.2g})",
    ),
    sharpens="trained_predicted",
    short="unseen selections: the upper layer",
    statement="The SVM fitted on some images predicts what a head of the upper layer selects on others better than for "
    "random heads, by a tenth or more; in the lower layer it is better than the most selected place only.",
    check=f"share predicted on held-out images, less that of the comparison; {MEDIANS}",
    measured="difference from random heads of the shares, upper layer",
)
