"""What holds of the coding rate of what is selected, and of CRATE: on other splits of the same digits."""

from attnsvm.audit.reading import Claims
from attnsvm.experiments.summaries.rate_reduction.claims import NAMES, each, end

CLAIMS = Claims(group="secondary", seeds=(100000, 100011))

CLAIMS.declare(
    "rate_selected_random",
    each(quantity="rate_over_random").must(
        "> 0",
        "above zero, the whole interval, plain attention and CRATE",
        "{layer}: higher than of what random heads select ({value:.2g})",
        names=NAMES,
    ),
    each(quantity="rate_over_chance").must(
        "difference from random tokens < 0",
        "below zero, the whole interval",
        "{layer}: lower than of random tokens ({value:.2g})",
        names=NAMES,
    ),
    sharpens="rate_selected",
    short="selected tokens: lower rate, random heads' lower still",
    statement="The tokens that a trained head selects have a lower coding rate than random ones, but a higher one than "
    "what random heads of the same singular values select: a low rate is not what training adds.",
    check="mean over the seeds of R of the selected tokens minus that of one random token per image, and minus that of "
    "what random heads select; 95 % intervals; other choices of the same images",
    measured="smaller mean difference from random heads, in nats,",
)

less = end(layer="crate", quantity="accuracy_over_plain")
CLAIMS.declare(
    "crate_accuracy_less",
    less.must("< 0", "below zero, the whole interval", "less accurate"),
    less.must("lower end ≥ -0.1", "a tenth of the images", "by no more than the limit"),
    sharpens="crate_accuracy",
    short="CRATE is less accurate, by a few points",
    statement="A CRATE layer is less accurate on digits than plain attention with as many parameters, by less than ten "
    "points.",
    check="mean over the seeds of the accuracy on unseen images minus that of plain attention, 95 % interval; other "
    "choices of the same images",
    measured="mean difference of the accuracies",
)

peak = end(quantity="peak")
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
    short="CRATE spreads its weight",
    statement="The attention of a CRATE layer spreads its weight over several tokens: its largest probability is below "
    "one half, and below that of plain attention.",
    check="mean over heads, unseen images and seeds of the largest softmax probability, 95 % interval; other choices "
    "of the same images",
    measured="mean largest probability of CRATE",
)
