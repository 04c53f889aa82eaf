"""How long a context a trained head survives: what the tail of new tokens says, and what its margins say."""

from attnsvm.audit.conditions import EACH, LAST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="beyond")
at = number(missing="step with {quantity}")
wait = at(step=EACH, quantity="wait over bound", text="number of new tokens times E min(1, exp(−m)), mean")

CLAIMS.declare(
    "length",
    (
        wait.must("each mean ≤ 2", "the theorem's other end", "step {step:.0f}: {value:.2f}, at most {high:.2f}"),
        wait.of("high", wait.text).must(
            "each upper end ≥ 1",
            "the theorem's lower bound, of the mean",
            "step {step:.0f}: 1 is not excluded ({high:.2f})",
        ),
    ),
    at(step=LAST, quantity="margins over measured").must(
        "margins over measured ≥ 100", "else margins would do", "by the training margins {value:.2g} times the measured"
    ),
    short="new tokens, not margins, set the length",
    range=("seeds", "shapes", "tokens", "schedule"),
    statement="A theorem for any W and independent new tokens, μ = E min(1, exp(−m)) of their margins m. The mean "
    "number of them that takes half of the weight is at least 1/μ and less than 2/μ (docs/theory.md).",
)
CLAIMS.declare(
    "length_ceiling",
    at(
        step=LAST, quantity="growth late", text="growth of the length at half weight over the last decade of steps"
    ).must(
        "growth over the last decade ≤ 2",
        "a decade of norm gives less",
        "{value:.2f}-fold over the last decade of steps",
    ),
    at(step=LAST, quantity="growth before").must(
        "growth before ≥ 10", "else nothing ever grows", "{value:.3g}-fold before"
    ),
    short="a larger norm stops helping",
    statement="The length at half weight grows with the norm of W up to a ceiling, where a new token overtakes.",
)
