"""A looped layer of attention: the separator that it finds, its rate, its edge, and labels that no plane separates."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
end = number(along=LAST, missing="{quantity} of {run}")
first, within = end(run="first"), end(quantity="share within")

CLAIMS.declare(
    "looped",
    (
        first(quantity="lacking").must("lacking ≤ 0.01", "a limit elsewhere would leave more", "lacking {value:.2g}"),
        first(quantity="over the law").must("law, off one ≤ 0.02", "1/L", "{value:.3f} of the law", around=1.0),
        within(run="below").must("share within ≥ 0.85", "some are slow", "below: {value:.2f} within", whole=False),
    ),
    within(run="above").must("share, above ≤ 0.2", "else no edge", "above: {value:.2f} within"),
    short="depth finds the separator, as predicted",
    statement="A looped layer goes to the max-margin separator of its context (arXiv:2605.06609). In nearly all "
    "contexts it lacks at depth L the share of the margin that certified multipliers predict, like 1/L, for rates "
    "below an edge.",
    check="what is lacking after the last loop, with the first η, and that over the law: medians with 95 % "
    "intervals; share of pairs of a context and an η within 0.03 of the law, 5 % and more below and above the edge",
    measured="median share of the margin that is lacking",
)
CLAIMS.declare(
    "looped_stops",
    (
        first(quantity="share agreeing").must("share agreeing ≥ 0.95", "some slow", "{value:.2f} agree", whole=False),
        first(quantity="growth, infeasible").must("growth, refuted ≤ 1.01", "at rest", "refuted: growth {value:.3f}"),
    ),
    short="no plane separates: w stops",
    statement="w grows with the depth if and only if a certified separator exists, and stops where one is refuted.",
    check="share of contexts in which the norm grows above 1.1-fold over the second half of the loops if and only if "
    "the SVM is solved; median growth where it is refuted",
    measured="share of contexts that agree",
)
