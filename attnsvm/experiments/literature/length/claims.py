"""How long a context a trained head survives: what the tail of new tokens says, and what its margins say."""

from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="beyond")
at = number(missing="step with {quantity}")
tail = at(step=EACH, quantity="tail over measured", text="predicted over measured length")
measured = at(quantity="measured", text="length at half weight")

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
    statement="A selected token keeps half of its weight up to about the length 1 + 1/E min(1, exp(−m)), m its "
    "margin over a new token.",
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
)
