"""(K, Q) and the nuclear solution: the rule that goes there, the published one that leaves, and what makes it leave."""

from attnsvm.audit.conditions import LAST, TENTH, number
from attnsvm.audit.evaluation import Claims, Reading
from attnsvm.audit.numbers import Limit, exact

end = number(m=LAST, scale=1, step=LAST, missing="{quantity} of {rule} with all columns from the usual start")
distance = end(quantity="distance", text="1 − correlation with the nuclear solution")
joint, published = distance(rule="joint"), distance(rule="published")
before = joint(step=TENTH).without_interval()
remaining = end(quantity="remaining", text="median distance, over that a decade of steps before").without_interval()
grown = end(quantity="grown", text="share of instances whose distance has grown by a fifth")
CLAIMS = Claims(group="beyond")

CLAIMS.declare(
    "KQ_joint",
    joint.must("≤ 0.001", "an angle of 2.6°, as asked of W", "median within the threshold ({value:.2g})"),
    (joint.without_interval() / before).must(
        "median over that a decade of steps before < 0.5",
        "still on its way: a standstill would be 1",
        "less than half of that a decade before ({before.value:.2g})",
        before=before,
    ),
    grown(rule="joint").must(
        "share of instances in which it has grown again ≤ 0.1",
        "one in ten may be between two of the steps that are kept",
        "instances in which it has grown again ({value:.2f}) are few",
    ),
    short="$(K, Q)$, joint norm: nuclear",
    statement="If the joint norm divides the gradients of K and Q, (K, Q) goes in direction to the solution of least "
    "nuclear norm, and stays.",
)

CLAIMS.declare(
    "KQ_published_leaves",
    grown(rule="published").must(
        "share of instances in which it has grown by a fifth > 0.5",
        "beyond doubt more than half",
        "a fifth farther than on the way in most instances: {value:.2f} [{low:.2f}, {high:.2f}]",
    ),
    remaining(rule="published").must(
        "median over that a decade of steps before > 1.0",
        "above 1 the distance grows",
        "the median distance has grown over the last decade of steps",
    ),
    grown(rule="joint").below(grown(rule="published"), "with joint normalisation {value:.2f}, below that interval"),
    joint.below(published, "farther than with joint normalisation ({value:.2g}), quartiles apart"),
    short="$(K, Q)$, published: leaves again",
    statement="Under the published rule, each gradient divided by its own norm, (K, Q) comes near the nuclear "
    "solution and goes away from it again.",
)


@CLAIMS.add(
    short="the cause: coarse steps, two norms",
    statement="The published rule falls behind because coarse steps meet two norms: without the one or the other it "
    "goes on to the nuclear solution.",
    measured="share of the median distance that a decade of steps leaves, published rule with shrinking steps",
    limit=Limit(0.7, "< {}", "1 is a standstill; a rule that converges like 1/√steps leaves 0.32"),
)
def KQ_published_cause(tables, limit):
    """How much of the distance a decade of steps leaves, with each possible cause switched off."""
    table = tables.own()
    until = table["step"][table["rule"] == "balanced"].max()
    rules = ("published", "balanced", "published_shrinking", "joint")
    shares = {rule: remaining(rule=rule, step=until).estimate(table).value for rule in rules}
    published = {f"published: {shares['published']:.2f}, more than that": shares["published"] > limit.value}
    parts = {
        f"‖K‖ = ‖Q‖ after every step: {shares['balanced']:.2f}, more than that": shares["balanced"] > limit.value,
        f"steps that shrink: {shares['published_shrinking']:.2f}, less": limit(shares["published_shrinking"]),
        f"one norm for both: {shares['joint']:.2f}, less": limit(shares["joint"]),
    }
    return Reading(
        *exact(shares["published_shrinking"], distance(rule="balanced").estimate(table).instances), parts, published
    )
