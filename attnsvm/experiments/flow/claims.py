"""Gradient flow on factors and the nuclear norm: aligned starts, random ones, diagonal factors, and other steps."""

from functools import partial

from attnsvm.audit.numbers import Limit, estimate, smallest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, where

STARTS = ("random", "aligned")
FALLS = Limit(0.5, "distance over that a decade of steps before ≤ {}", "as asked of KQ_joint; a standstill would be 1")
OTHER = Limit(0.05, "distance of one matrix ≥ {}", "else the nuclear and the Frobenius solution were not told apart")
CLAIMS = Claims(group="beyond")


def end(tables, run, start, quantity):
    """The quantity after the last step."""
    rows = where(tables.own(), run=run, start=start, quantity=quantity)
    return estimate(last(some(rows, f"{quantity} of {run}, {start}")).iloc[0])


def to_nuclear(start, tables, asked, falls, other):
    """The distance of the flow from the nuclear solution, how it falls, and that of one matrix."""
    distance, left = (end(tables, "flow", start, quantity) for quantity in ("distance", "remaining"))
    control = end(tables, "one matrix", "random", "distance")
    parts = {
        f"{start} start: {distance.value:.2g} [{distance.low:.2g}, {distance.high:.2g}]": asked(distance),
        f"a decade of steps leaves {left.value:.2f} of it": falls(left),
        f"one matrix: {control.value:.2g}": other(control),
    }
    return Reading(*distance, parts)


CLAIMS.add(
    key="flow_aligned",
    short="flow, aligned start: nuclear",
    statement="From a start aligned with the singular spaces of the solution, gradient flow on (K, Q) goes in "
    "direction to the solution of least nuclear norm (arXiv:2403.08699, in our reading of alignment).",
    check="1 − correlation after the last step, and over that about a tenth of the steps before: medians with 95 % "
    "intervals; control: one matrix W",
    measured="median of 1 − correlation with the nuclear solution",
    asked=Limit(1e-3, "≤ {}", "as asked of KQ_joint"),
    falls=FALLS,
    other=OTHER,
    read=partial(to_nuclear, "aligned"),
)

CLAIMS.add(
    key="flow_random",
    short="flow, random start: nuclear, too",
    statement="From a random start, for which arXiv:2403.08699 proves nothing, gradient flow on (K, Q) goes to the "
    "solution of least nuclear norm as well.",
    check="as flow_aligned",
    measured="median of 1 − correlation with the nuclear solution",
    asked=Limit(1e-2, "≤ {}", "like 1/√‖W‖ or faster, and ‖W‖ is some thousands by then"),
    falls=FALLS,
    other=OTHER,
    read=partial(to_nuclear, "random"),
)


@CLAIMS.add(
    short="diagonal factors: ℓ1",
    statement="Gradient flow on diagonal K and Q goes to the largest margin in the nuclear norm of diagonals, ℓ1 "
    "(arXiv:2403.08699); a diagonal W trained itself does not.",
    check="ℓ1 margin ratio after the last step, medians with 95 % intervals; control: one vector",
    measured="median of the ℓ1 margin ratio (best: 1), two factors",
    asked=Limit(0.95, "≥ {}", "as of the rules of geometries"),
    other=Limit(0.9, "one vector ≤ {}", "twice as far from one: else ℓ1 and ℓ2 were not told apart"),
)
def flow_diagonal(tables, asked, other):
    """The ℓ1 margin ratio of diagonal factors, and of a diagonal trained itself."""
    two, one = (end(tables, "diagonal", start, "ratio") for start in ("two factors", "one vector"))
    parts = {f"two factors: {two.value:.3f}": asked(two), f"one vector: {one.value:.3f}": other(one)}
    return Reading(*two, parts)


@CLAIMS.add(
    short="alignment does not save the published step",
    statement="What `factors` found is not decided by the start: from an aligned start, too, the published step, which "
    "divides each gradient by its norm, falls behind the joint step; though flow is nearer from there.",
    check="distance with the published over that with the joint step after the last step, by instance, median with its "
    "95 % interval, from either start; distance of the flow from an aligned over that from a random start",
    measured="median of the published over the joint distance, smaller of both starts",
    asked=Limit(1.5, "each ≥ {}", "half as far again, beyond doubt"),
    aligned=Limit(0.5, "flow: aligned over random, ends apart ≤ {}", "else alignment were worth little"),
    unsharpened="The published step is behind from either start. The flow's distances have wide intervals: at their "
    "ends, what an aligned start is worth is less than the factor of two that is asked.",
)
def flow_alignment(tables, asked, aligned):
    """How much farther the published rule is than the joint one, from either start; and what alignment is worth."""
    found = {start: end(tables, "published", start, "behind") for start in STARTS}
    parts = {f"{start} start: {of.value:.2g} times as far": asked(of) for start, of in found.items()}
    near, far = (end(tables, "flow", start, "distance") for start in ("aligned", "random"))
    parts[f"flow, aligned start: {near.value / far.value:.2g} of the distance"] = aligned(near.high / far.low)
    return Reading(*smallest(found), parts)
