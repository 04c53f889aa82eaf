"""Does attention reduce the coding rate, and does CRATE select as the theory of max-margin separation says?"""

from attnsvm.audit.conditions import LAST, LEAST, number
from attnsvm.audit.evaluation import Claims

NAMES = {"plain": "plain attention", "crate": "CRATE"}
end = number(step=LAST, missing="{quantity} of {layer}")
each = end(layer=tuple(NAMES))
change = each(quantity="rate_change", text="coding rate after attention minus before, in nats")
over_random = each(quantity="rate_over_random", text="coding rate of selected tokens minus random heads', in nats")
over_chance = each(quantity="rate_over_chance")
less = end(layer="crate", quantity="accuracy_over_plain", text="accuracy on unseen images minus plain attention's")
peak = end(quantity="peak", text="largest softmax probability")
CLAIMS = Claims(group="secondary")

CLAIMS.declare(
    "rate_attention",
    change.must(
        "< 0",
        "below zero, and further below than what averaging alone does in a layer that learned nothing",
        "{layer} reduces the rate",
        names=NAMES,
    ),
    change.below(change(step=LEAST), "{layer} more than untrained", names=NAMES),
    short="attention reduces the coding rate",
    statement="Trained attention reduces the coding rate of the tokens.",
)

BELOW = "< 0", "below zero; any head prefers some places, so that random heads must be beaten too"
CLAIMS.declare(
    "rate_selected",
    over_random.must(*BELOW, "{layer}: lower than of what random heads select", names=NAMES),
    over_chance.must(*BELOW, "{layer}: lower than of random tokens", names=NAMES),
    short="selected tokens have a lower rate",
    statement="The tokens that a trained head selects have a lower coding rate than as many others.",
)

CLAIMS.declare(
    "crate_accuracy",
    less.must("≥ -0.02", "two images in a hundred are what seeds differ by", "not less accurate"),
    short="CRATE is as accurate",
    statement="A CRATE layer is as accurate on digits as plain attention with as many parameters.",
)

MOST = "≥ 0.5", "a token that is selected has most of the weight; uniform weights are 1/16"
CLAIMS.declare(
    "crate_selects",
    peak(layer="crate").must(*MOST, "CRATE selects"),
    peak(layer="plain").must(*MOST, "plain attention selects"),
    short="CRATE selects tokens",
    statement="The attention of a CRATE layer selects tokens, as plain attention does.",
)

ABOVE = "> 0", "any matrix is aligned with the solution of what it selects: the random heads say how much"
lead = end(text="cosine with the solution of what is selected, less that of random heads")
CLAIMS.declare(
    "crate_svm",
    (
        lead(layer="crate", quantity="alignment_over_symmetric").must(*ABOVE, "CRATE above symmetric random heads"),
        lead(layer=tuple(NAMES), quantity="alignment_over_random").must(
            *ABOVE, "{layer} above random heads", names=NAMES
        ),
    ),
    short="CRATE goes to its SVM",
    statement="A trained head is nearer to the max-margin solution of what it selects than random heads to theirs.",
)

# What holds instead, asked on other choices of the same images.
CLAIMS.declare(
    "rate_selected_random",
    over_random.must(
        "> 0",
        "above zero, the whole interval, plain attention and CRATE",
        "{layer}: higher than of what random heads select ({value:.2g})",
        names=NAMES,
    ),
    over_chance.must(
        "difference from random tokens < 0",
        "below zero, the whole interval",
        "{layer}: lower than of random tokens ({value:.2g})",
        names=NAMES,
    ),
    sharpens="rate_selected",
    on="rates_again",
    short="selected tokens: lower rate, random heads' lower still",
    statement="The tokens that a trained head selects have a lower coding rate than random ones, but a higher one "
    "than what random heads select.",
)

CLAIMS.declare(
    "crate_accuracy_less",
    less.must("< 0", "below zero, the whole interval", "less accurate"),
    less.must("lower end ≥ -0.1", "a tenth of the images", "by no more than the limit"),
    sharpens="crate_accuracy",
    on="rates_again",
    short="CRATE is less accurate, by a few points",
    statement="A CRATE layer is less accurate on digits than plain attention with as many parameters, by less than ten "
    "points.",
)

CLAIMS.declare(
    "crate_spreads",
    (
        peak(layer="crate").must("< 0.5", "no token has most of the weight", "CRATE spreads its weight ({value:.2f})"),
        peak(layer="plain").above(
            peak(layer="crate"), "plain attention spreads it less ({value:.2f}), intervals apart"
        ),
    ),
    peak(layer="crate").must(
        "largest probability > 0.125", "twice that of uniform weights", "but not evenly: {value:.2f}"
    ),
    sharpens="crate_selects",
    on="rates_again",
    short="CRATE spreads its weight",
    statement="The attention of a CRATE layer spreads its weight over several tokens: its largest probability is below "
    "one half, and below that of plain attention.",
)
