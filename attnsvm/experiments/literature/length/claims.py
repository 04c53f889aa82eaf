"""How long a context a trained head survives: what the tail of new tokens says, and what its margins say."""

from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
at = number(missing="step with {quantity}")
tail, measured = at(step=EACH, quantity="tail over measured"), at(quantity="measured")

CLAIMS.declare(
    "length",
    (
        tail.must(
            "over measured, each ≥ 0.5", "a factor of two", "step {step:.0f}: {low:.2f} of the measured at least"
        ),
        tail.must("over measured, each ≤ 2.5", "half-times scatter", "step {step:.0f}: {high:.2f} of it at most"),
    ),
    at(step=LAST, quantity="margins over measured").must(
        "margins over measured ≥ 100", "else margins would do", "by the training margins {value:.2g} times the measured"
    ),
    short="new tokens, not margins, set the length",
    statement="A selected token keeps half of its weight up to about the length 1 + 1/E min(1, exp(−m)), m its margin "
    "over a new token, within a factor of 2.5 as the norm of W grows; margins over the training tokens predict far "
    "more.",
    check="that length over the measured one at every step kept, geometric means over inputs: medians with 95 % "
    "intervals; control: the margins over the training tokens after the last step",
    measured="median of the predicted over the measured length",
)
CLAIMS.declare(
    "length_ceiling",
    (measured(step=LAST) / measured(step=1000)).must(
        "growth over the last decade ≤ 2",
        "a decade of norm gives less",
        "{value:.2f}-fold over the last decade of steps",
    ),
    (measured(step=1000) / measured(step=FIRST)).must(
        "growth before ≥ 10", "else nothing ever grows", "{value:.3g}-fold before"
    ),
    short="a larger norm stops helping",
    statement="The length at half weight grows with the norm of W up to a ceiling, where a new token overtakes.",
    check="median length after the last step over that after 1000 steps, with 95 % intervals; control: after 1000 "
    "steps, over that at first",
    measured="ratio of the median lengths",
)
