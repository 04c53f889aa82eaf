"""(K, Q) and the nuclear solution: the rule that goes there, the published one that leaves, and what makes it leave."""

import numpy as np

from attnsvm.analysis.statistics import wilson
from attnsvm.audit.reading import Claim, NoInstance, Reading


def way(tables, rule, quantity="distance"):
    """The medians of a rule with all columns from the usual start, by step."""
    table = tables.own(quantity=quantity, rule=rule)
    usual = table[(table["m"] == table["m"].max()) & (table["scale"] == 1)]
    return usual.sort_values("step")


def decade(line):
    """The last row, and that a decade of steps before it."""
    end = line.iloc[-1]
    before = line.iloc[(np.log10(line["step"] * 10 / end["step"])).abs().argmin()]
    if before["step"] == end["step"]:
        raise NoInstance("step about a decade before the last")
    return end, before


def remaining(line):
    """The median distance at the end, as a share of that a decade of steps before."""
    end, before = decade(line)
    return end["median"] / before["median"]


def joint(tables, most):
    line = way(tables, "joint")
    end, before = decade(line)
    left = way(tables, "joint", "left").iloc[-1]
    parts = {
        f"median within the threshold ({end['median']:.2g})": end["median"] <= most,
        f"less than half of that a decade before ({before['median']:.2g})": end["median"] < 0.5 * before["median"],
        f"instances in which it has grown again ({left['larger']:.2f}) are few": left["larger"] <= 0.1,
    }
    return Reading(end["median"], end["low"], end["high"], int(end["instances"]), parts)


def leaves(tables, least):
    """How much the median distance grows over the last decade of steps, and in how many instances; with a control."""
    line = way(tables, "published")
    end, _ = decade(line)
    shares = {}
    for rule in ("published", "joint"):
        row = way(tables, rule, "left").iloc[-1]
        count = int(row["instances"])
        shares[rule] = wilson(round(row["larger"] * count), count)
    (share, low, high), (control, _, most) = shares["published"], shares["joint"]
    words = f"a fifth farther than on the way in most instances: {share:.2f} [{low:.2f}, {high:.2f}]"
    parts = {
        "the median distance has grown over the last decade of steps": remaining(line) > least,
        words: low > 0.5,
        f"with joint normalisation {control:.2f}, below that interval": most < low,
        f"farther than with joint normalisation ({way(tables, 'joint').iloc[-1]['median']:.2g}), quartiles apart": (
            way(tables, "joint").iloc[-1]["high"] < end["low"]
        ),
    }
    return Reading(remaining(line), float("nan"), float("nan"), int(end["instances"]), parts)


def cause(tables, most):
    """How much of the distance a decade of steps leaves, with each possible cause switched off."""
    until = tables.own(rule="balanced")["step"].max()
    shares = {}
    for rule in ("published", "balanced", "published_shrinking", "joint"):
        line = way(tables, rule)
        shares[rule] = remaining(line[line["step"] <= until])
    parts = {
        f"published: {shares['published']:.2f}, more than that": shares["published"] > most,
        f"‖K‖ = ‖Q‖ after every step: {shares['balanced']:.2f}, more than that": shares["balanced"] > most,
        f"steps that shrink: {shares['published_shrinking']:.2f}, less": shares["published_shrinking"] < most,
        f"one norm for both: {shares['joint']:.2f}, less": shares["joint"] < most,
    }
    count = int(way(tables, "balanced")["instances"].min())
    return Reading(shares["published_shrinking"], float("nan"), float("nan"), count, parts)


CLAIMS = (
    Claim(
        key="KQ_joint",
        group="beyond",
        short="$(K, Q)$, joint norm: nuclear",
        statement="If the gradients of K and Q are divided by their joint norm, (K, Q) goes in direction to the "
        "solution of least nuclear norm, and stays.",
        check="median of 1 − correlation after the last step, quartiles over the instances",
        threshold=1e-3,
        why="an angle of 2.6°, as asked of W",
        measured="median of 1 − correlation with the nuclear solution",
        wanted="≤ {}",
        read=joint,
    ),
    Claim(
        key="KQ_published_leaves",
        group="beyond",
        short="$(K, Q)$, published: leaves again",
        statement="Under the published rule, which divides each of the two gradients by its own norm, (K, Q) comes "
        "near the nuclear solution and goes away from it again.",
        check="median distance after the last step, divided by that a decade of steps before; the share of instances "
        "in which the last distance exceeds the smallest one on the way by a fifth, with its Wilson interval; and "
        "joint normalisation as the control",
        threshold=1.0,
        why="above 1 the distance grows",
        measured="median distance, as a share of that a decade of steps before",
        wanted="> {}",
        read=leaves,
    ),
    Claim(
        key="KQ_published_cause",
        group="beyond",
        short="the cause: coarse steps, two norms",
        statement="The published rule leaves because two things come together: steps that change the logits by more "
        "and more, so that one input at a time rules the gradient, and two norms that weight this input "
        "differently in K and in Q. Without the one or the other it goes on to the nuclear solution; a drift of ‖K‖ "
        "against ‖Q‖ is not the cause.",
        check="median distance as a share of that a decade of steps before: published, and with one thing changed",
        threshold=0.7,
        why="1 is a standstill; a rule that converges like 1/√steps leaves 0.32",
        measured="share of the distance that a decade leaves, published rule with shrinking steps",
        wanted="< {}",
        read=cause,
    ),
)
