"""Global convergence where all but the best score are equal, and the rates of plain, normalised and Polyak steps."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, estimate, smallest
from attnsvm.audit.rows import where

CLAIMS = Claims(group="beyond")
end = number(scores="equal", at=LAST, missing="{quantity} of {run} steps")
turning = end(quantity="turning", text="exponent of the distance of W's direction, by the last two decades of steps")
deepening = end(quantity="deepening", text="exponent of −log(1 − p), by the last two decades of steps")
saturating = end(quantity="saturating", text="exponent of 1 − p")


@CLAIMS.add(
    short="equal other scores: convergence is global",
    statement="If all scores but the best are equal and tokens nearly orthogonal, descent on W ends on optimal "
    "tokens from every start (suggested by arXiv:2402.05738).",
    measured="smallest share of instances that end on all optimal tokens, over the sizes of the start",
    limit=Limit(0.95, "each share ≥ {}", "one in twenty may still be on its way from the largest start"),
    control=Limit(0.9, "with other scores, every interval < {}", "else the conditions would decide nothing"),
    unsharpened="With nearly orthogonal tokens descent ends on the optimal ones in nearly every instance, whatever the "
    "other scores are: that they are equal suffices, and sixty instances do not tell whether it matters.",
)
def rates_global(tables, limit, control):
    """The share of instances that end on the optimal tokens, for each size of the start; with other scores, too."""
    table, parts, found = where(tables.own(), quantity="optimal"), {}, []
    for _, row in some(where(table, scores="equal"), "instance with equal scores").iterrows():
        share = estimate(row)
        found.append(share)
        parts[f"start of size {row['at']:g}: {share.value:.2f}"] = limit(share)
    others = some(where(table, scores="different"), "instance with different scores")
    most = estimate(others.loc[others["high"].idxmax()])
    return Reading(*smallest(found), parts, {f"with different scores at most in {most.value:.2f}": control(most)})


def both(exponent, *limit, around):
    """That of normalised steps, which the claim shows, and that of Polyak steps."""
    return tuple(exponent(run=run).must(*limit, around=around) for run in ("normalised", "Polyak"))


CLAIMS.declare(
    "rates_turning",
    both(
        turning,
        "distance of each end from −1 ≤ 0.05",
        "a bounded rest divided by a norm that grows linearly",
        "{run}: {value:.3f} [{low:.3f}, {high:.3f}]",
        around=-1.0,
    ),
    turning(run="plain").must(
        "exponent of plain steps > -0.3", "one over a logarithm has the exponent −1/log(steps)", "plain: {value:.3f}"
    ),
    short="normalised and Polyak: distance 1/steps",
    statement="Under these conditions the direction of W is at the distance 1/steps from its solution with "
    "normalised and Polyak steps (suggested by arXiv:2402.05738).",
)

CLAIMS.declare(
    "rates_saturating",
    (
        *both(
            deepening,
            "distance of each end from 1 ≤ 0.05",
            "margins grow as the norm does",
            "{run}: −log(1 − p) as step^{value:.3f} [{low:.3f}, {high:.3f}]",
            around=1.0,
        ),
        saturating(run="plain").must(
            "plain: distance of each end of the exponent from −1 ≤ 0.2",
            "logarithmic corrections",
            "plain: 1 − p as step^{value:.3f}",
            around=-1.0,
        ),
    ),
    short="the softmax saturates exponentially",
    statement="Under these conditions other tokens' weight falls exponentially with normalised or Polyak steps, as "
    "1/steps with plain ones (suggested by arXiv:2402.05738).",
)
