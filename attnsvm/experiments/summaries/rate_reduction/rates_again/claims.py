"""What holds of the coding rate of what is selected, and of CRATE: on other splits of the same digits."""

from attnsvm.audit.numbers import Limit, smallest
from attnsvm.audit.reading import Claims, Reading
from attnsvm.experiments.summaries.rate_reduction.claims import NAMES, end

CLAIMS = Claims(group="secondary", seeds=(100000, 100011))


@CLAIMS.add(
    sharpens="rate_selected",
    short="selected tokens: lower rate, random heads' lower still",
    statement="The tokens that a trained head selects have a lower coding rate than random ones, but a higher one than "
    "what random heads of the same singular values select: a low rate is not what training adds.",
    check="mean over the seeds of R of the selected tokens minus that of one random token per image, and minus that of "
    "what random heads select; 95 % intervals; other choices of the same images",
    measured="smaller mean difference from random heads, in nats,",
    asked=Limit(0.0, "> {}", "above zero, the whole interval, plain attention and CRATE"),
    chance=Limit(0.0, "difference from random tokens < {}", "below zero, the whole interval"),
)
def rate_selected_random(tables, asked, chance):
    """What random heads select lies lower still."""
    parts, found = {}, []
    for layer, name in NAMES.items():
        below, above = (end(tables, layer, f"rate_over_{other}") for other in ("chance", "random"))
        parts[f"{name}: lower than of random tokens ({below.value:.2g})"] = chance(below)
        parts[f"{name}: higher than of what random heads select ({above.value:.2g})"] = asked(above)
        found.append(above)
    return Reading(*smallest(found), parts)


@CLAIMS.add(
    sharpens="crate_accuracy",
    short="CRATE is less accurate, by a few points",
    statement="A CRATE layer is less accurate on digits than plain attention with as many parameters, by less than ten "
    "points.",
    check="mean over the seeds of the accuracy on unseen images minus that of plain attention, 95 % interval; other "
    "choices of the same images",
    measured="mean difference of the accuracies",
    asked=Limit(0.0, "< {}", "below zero, the whole interval"),
    most=Limit(-0.1, "lower end ≥ {}", "a tenth of the images"),
)
def crate_accuracy_less(tables, asked, most):
    row = end(tables, "crate", "accuracy_over_plain")
    return Reading(*row, {"less accurate": asked(row), "by no more than the limit": most(row.low)})


@CLAIMS.add(
    sharpens="crate_selects",
    short="CRATE spreads its weight",
    statement="The attention of a CRATE layer spreads its weight over several tokens: its largest probability is below "
    "one half, and below that of plain attention.",
    check="mean over heads, unseen images and seeds of the largest softmax probability, 95 % interval; other choices "
    "of the same images",
    measured="mean largest probability of CRATE",
    asked=Limit(0.5, "< {}", "no token has most of the weight"),
    uniform=Limit(0.125, "largest probability > {}", "twice that of uniform weights"),
)
def crate_spreads(tables, asked, uniform):
    """The largest probability of either layer, and that of CRATE against plain attention."""
    plain, crate = (end(tables, layer, "peak") for layer in ("plain", "crate"))
    parts = {
        f"CRATE spreads its weight ({crate.value:.2f})": asked(crate),
        f"but not evenly: {crate.value:.2f}": uniform(crate),
        f"plain attention spreads it less ({plain.value:.2f}), intervals apart": plain.low > crate.high,
    }
    return Reading(*crate, parts)
