"""What holds of trained heads against random ones: it is the upper layer in which training shows."""

from functools import partial

from attnsvm.audit.numbers import Limit
from attnsvm.audit.reading import Claims, Reading
from attnsvm.experiments.real.trained.claims import at

LOWER, UPPER = 1, 2
MEDIANS = "mean over a layer's heads, median over networks with a 95 % interval, after the last update; other networks"
CLAIMS = Claims(group="beyond", seeds=(100000, 100015))


def upper_layer(quantity, tables, asked, little):
    """The difference from random heads in both layers, and in the upper one before training."""
    upper, lower = (at(tables, layer, quantity) for layer in (UPPER, LOWER))
    start = at(tables, UPPER, quantity, end=False)
    parts = {
        f"layer {UPPER} is above random heads ({upper.value:.2g})": asked(upper),
        f"and above itself before training ({start.value:.2g}), intervals apart": start.high < upper.low,
        f"layer {LOWER} is above them by less than the threshold ({lower.value:.2g})": little(lower),
    }
    return Reading(*upper, parts)


CLAIMS.add(
    key="trained_random_upper",
    sharpens="trained_random",
    short="against random heads: the upper layer",
    statement="After training the heads of the upper layer are better aligned with the SVM of what they select than "
    "random heads of the same singular values; in the lower layer the difference is small.",
    check=f"cosine with the certified solution, less that of a random head; {MEDIANS}",
    measured="difference of the cosines, upper layer",
    asked=Limit(0.02, "> {}", "the whole interval, which must lie above that of untrained heads"),
    little=Limit(0.15, "difference in the lower layer ≤ {}", "the upper end that was found for it, 0.12"),
    read=partial(upper_layer, "alignment_above_random_fro"),
)


@CLAIMS.add(
    sharpens="trained_predicted",
    short="unseen selections: the upper layer",
    statement="The SVM fitted on some images predicts what a head of the upper layer selects on others better than for "
    "random heads, by a tenth or more; in the lower layer it is better than the most selected place only.",
    check=f"share predicted on held-out images, less that of the comparison; {MEDIANS}",
    measured="difference from random heads of the shares, upper layer",
    asked=Limit(0.1, "> {}", "the whole interval above a tenth of the images"),
    little=Limit(0.2, "difference in the lower layer ≤ {}", "the upper end that was found for it, 0.17"),
    place=Limit(0.0, "above the most selected place > {}", "above zero, the whole interval, both layers"),
)
def trained_predicted_upper(tables, asked, little, place):
    reading = upper_layer("predicted_above_random_fro", tables, asked, little)
    for layer in (LOWER, UPPER):
        lead = at(tables, layer, "predicted_above_place_fro")
        reading.parts[f"layer {layer} is above the most selected place ({lead.value:.2g})"] = place(lead)
    return reading
