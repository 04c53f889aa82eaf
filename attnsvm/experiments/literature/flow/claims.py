"""Gradient flow on factors and the nuclear norm: aligned starts, random ones, diagonal factors, and other steps."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims

end = number(missing="{quantity} of {run}, {start}", step=LAST)
distance = end(quantity="distance", text="1 − correlation with the nuclear solution")
remaining, ratio = end(quantity="remaining"), end(quantity="ratio", text="ℓ1 margin ratio (best: 1)")
FLOW = "{start} start: {value:.2g} [{low:.2g}, {high:.2g}]"
CLAIMS = Claims(group="beyond")


def also(start):
    """What else is asked of the flow: that it is still coming nearer, and that there was something to tell apart."""
    falls = remaining(run="flow", start=start).must(
        "distance over that a decade of steps before ≤ 0.5",
        "as asked of KQ_joint; a standstill would be 1",
        "a decade of steps leaves {value:.2f} of it",
    )
    return falls, distance(run="one matrix", start="random").must(
        "distance of one matrix ≥ 0.05",
        "else the nuclear and the Frobenius solution were not told apart",
        "one matrix: {value:.2g}",
    )


CLAIMS.declare(
    "flow_aligned",
    distance(run="flow", start="aligned").must("≤ 0.001", "as asked of KQ_joint", FLOW),
    *also("aligned"),
    short="flow, aligned start: nuclear",
    statement="From a start aligned with the solution's singular spaces, flow on (K, Q) goes to the least nuclear "
    "solution (suggested by arXiv:2403.08699; alignment is ours).",
)

CLAIMS.declare(
    "flow_random",
    distance(run="flow", start="random").must(
        "≤ 0.01", "like 1/√‖W‖ or faster, and ‖W‖ is some thousands by then", FLOW
    ),
    *also("random"),
    short="flow, random start: nuclear, too",
    statement="From a random start, too, gradient flow on (K, Q) goes to the least nuclear solution (three inputs, T "
    "= 4, d = 10).",
)

CLAIMS.declare(
    "flow_diagonal",
    ratio(run="diagonal", start="two factors").must("≥ 0.95", "as of the rules of geometries", "{start}: {value:.3f}"),
    ratio(run="diagonal", start="one vector").must(
        "one vector ≤ 0.9", "twice as far from one: else ℓ1 and ℓ2 were not told apart", "{start}: {value:.3f}"
    ),
    short="diagonal factors: ℓ1",
    statement="Gradient flow on diagonal K and Q goes to the largest margin in ℓ1 (arXiv:2403.08699); a diagonal W "
    "trained itself does not.",
)

CLAIMS.declare(
    "flow_alignment",
    end(
        quantity="behind", run="published", start=("random", "aligned"), text="distance over that of the joint step"
    ).must("each ≥ 1.5", "half as far again, beyond doubt", "{start} start: {value:.2g} times as far"),
    number(run="flow", quantity="aligned over random", step=LAST, missing="flow from both starts").must(
        "flow: aligned over random, same instances ≤ 0.5",
        "else alignment were worth little",
        "flow, aligned start: {value:.2g} of the distance",
    ),
    short="alignment does not save the published step",
    statement="From an aligned start, too, the published step falls behind the joint step, though flow comes nearer "
    "from there.",
)
