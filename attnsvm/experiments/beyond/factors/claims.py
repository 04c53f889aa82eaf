"""(K, Q) and the nuclear solution: the rule that goes there, the published one that leaves, and what makes it leave."""

from attnsvm.audit.numbers import Limit, estimate, exact
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import decade, one

MOST = Limit(0.5, "share of instances in which it has grown by a fifth > {}", "beyond doubt more than half")
CLAIMS = Claims(group="beyond")


def way(tables, rule, quantity="distance"):
    """The medians of a rule with all columns from the usual start, by step."""
    table = tables.own(quantity=quantity, rule=rule)
    usual = table[(table["m"] == table["m"].max()) & (table["scale"] == 1)]
    return some(usual, f"{quantity} of {rule} with all columns from the usual start").sort_values("step")


def remaining(tables, rule, **step):
    """The median distance after a step, the last unless it is said, as a share of that a decade of steps before."""
    rows = way(tables, rule, "remaining")
    return (one(rows, f"{rule} as far as others go", **step) if step else rows.iloc[-1])["value"]


@CLAIMS.add(
    short="$(K, Q)$, joint norm: nuclear",
    statement="If the gradients of K and Q are divided by their joint norm, (K, Q) goes in direction to the solution "
    "of least nuclear norm, and stays.",
    check="median of 1 − correlation after the last step, quartiles over the instances",
    measured="median of 1 − correlation with the nuclear solution",
    limit=Limit(1e-3, "≤ {}", "an angle of 2.6°, as asked of W"),
    falling=Limit(0.5, "median over that a decade of steps before < {}", "still on its way: a standstill would be 1"),
    few=Limit(
        0.1,
        "share of instances in which it has grown again ≤ {}",
        "one in ten may be between two of the steps that are kept",
    ),
)
def KQ_joint(tables, limit, falling, few):
    line = way(tables, "joint")
    end, before = decade(line)
    left = way(tables, "joint", "grown").iloc[-1]
    own = estimate(end)
    near = {f"median within the threshold ({own.value:.2g})": limit(own)}
    further = {
        f"less than half of that a decade before ({before['value']:.2g})": falling(end["value"] / before["value"]),
        f"instances in which it has grown again ({left['value']:.2f}) are few": few(left["value"]),
    }
    return Reading(*own, near, further)


@CLAIMS.add(
    short="$(K, Q)$, published: leaves again",
    statement="Under the published rule, which divides each of the two gradients by its own norm, (K, Q) comes near "
    "the nuclear solution and goes away from it again.",
    check="median distance after the last step, divided by that a decade of steps before; the share of instances in "
    "which the last distance exceeds the smallest one on the way by a fifth, with its Wilson interval; and joint "
    "normalisation as the control",
    measured="median distance, as a share of that a decade of steps before",
    limit=Limit(1.0, "> {}", "above 1 the distance grows"),
    most=MOST,
)
def KQ_published_leaves(tables, limit, most):
    """How much the median distance grows over the last decade of steps, and in how many instances; with a control."""
    end, grown = way(tables, "published").iloc[-1], remaining(tables, "published")
    share, control = (estimate(way(tables, rule, "grown").iloc[-1]) for rule in ("published", "joint"))
    words = f"a fifth farther than on the way in most instances: {share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"
    other = way(tables, "joint").iloc[-1]
    grows = {"the median distance has grown over the last decade of steps": limit(grown)}
    further = {
        words: most(share),
        f"with joint normalisation {control.value:.2f}, below that interval": control.high < share.low,
        f"farther than with joint normalisation ({other['value']:.2g}), quartiles apart": other["high"] < end["low"],
    }
    return Reading(*exact(grown, end["instances"]), grows, further)


@CLAIMS.add(
    short="the cause: coarse steps, two norms",
    statement="The published rule falls behind because two things come together: steps that change the logits by more "
    "and more, so that one input at a time rules the gradient, and two norms that weight this input differently in K "
    "and in Q. Without the one or the other it goes on to the nuclear solution; a drift of ‖K‖ against ‖Q‖ is not the "
    "cause.",
    check="median distance as a share of that a decade of steps before: published, and with one thing changed",
    measured="share of the distance that a decade leaves, published rule with shrinking steps",
    limit=Limit(0.7, "< {}", "1 is a standstill; a rule that converges like 1/√steps leaves 0.32"),
)
def KQ_published_cause(tables, limit):
    """How much of the distance a decade of steps leaves, with each possible cause switched off."""
    until = tables.own(rule="balanced")["step"].max()
    rules = ("published", "balanced", "published_shrinking", "joint")
    shares = {rule: remaining(tables, rule, step=until) for rule in rules}
    published = {f"published: {shares['published']:.2f}, more than that": shares["published"] > limit.value}
    parts = {
        f"‖K‖ = ‖Q‖ after every step: {shares['balanced']:.2f}, more than that": shares["balanced"] > limit.value,
        f"steps that shrink: {shares['published_shrinking']:.2f}, less": limit(shares["published_shrinking"]),
        f"one norm for both: {shares['joint']:.2f}, less": limit(shares["joint"]),
    }
    return Reading(*exact(shares["published_shrinking"], way(tables, "balanced")["instances"].min()), parts, published)
