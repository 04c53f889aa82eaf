"""How long a context a trained head survives: what its tail over new tokens says, and what its margins say."""

from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
at = number(missing="step with {quantity}")
tail, margins = at(quantity="tail over measured"), at(quantity="margins over measured")

CLAIMS.declare(
    "length",
    tail(step=EACH).must("each ≥ 0.5", "a factor of two", "step {step:.0f}: {value:.2f} of what is measured"),
    tail(step=EACH).must(
        "prediction over measured, each ≤ 2", "a factor of two", "step {step:.0f}: {value:.2f} at most"
    ),
    margins(step=LAST).must("margins over measured ≥ 100", "else margins would do", "margins: {value:.2g} times"),
    short="length at half weight: 1 + 1/E min(1, e^{−m})",
    statement="The selected token keeps half of its weight up to a length of 1 + 1/E min(1, exp(−m)), m the margin over a new "
    "token, at every norm of W; the margins over the training tokens do not say it.",
    check="that length over the measured one at every step kept, geometric means over inputs: medians with 95 % intervals; "
    "control: the margins over the training tokens",
    measured="median of the predicted over the measured length",
)
CLAIMS.declare(
    "length_ceiling",
    (at(quantity="measured", step=LAST) / at(quantity="measured", step=1000)).must(
        "growth ≤ 1.5", "a ceiling", "{value:.2f}-fold over the last decade of steps, {low:.2f} at least"
    ),
    (at(quantity="measured", step=1000) / at(quantity="measured", step=FIRST)).must(
        "growth before ≥ 10", "else nothing ever grows", "{value:.3g}-fold before"
    ),
    short="a larger norm stops helping",
    statement="The length at half weight has a ceiling that no norm of W moves: where a new token overtakes.",
    check="measured length after the last step over that after 1000 steps, medians with 95 % intervals; control: after 1000 "
    "steps over that at first",
    measured="ratio of the median lengths",
)
