"""Each parametrisation goes in direction to the solution of its own norm, under exactly normalised steps."""

from functools import partial

from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import decade, one, where

MISSING = "certified solution of what was selected"
CLAIMS = Claims(group="paper")


def distance(parametrisation, tables, limit):
    """1 − correlation with the own norm's solution: median and quartiles are shown, the mean decides."""
    line = some(where(tables.own(), normalisation="exact", parametrisation=parametrisation), MISSING)
    end, before = decade(some(where(line, interval=QUARTILES), MISSING).sort_values("step"))
    mean = one(line, "mean of the distance", interval=MEAN)["value"]
    words = f"median no larger than a decade of steps before ({before['value']:.2g})"
    near = {f"mean within the threshold ({mean:.2g})": limit(mean)}
    return Reading(*estimate(end), near, {words: end["value"] <= before["value"]})


CLAIMS.add(
    key="W_to_frobenius",
    short="$W$ goes to the Frobenius solution",
    statement="Gradient descent on W goes in direction to the solution of least Frobenius norm.",
    measured="median (quartiles) of 1 − correlation with the Frobenius solution",
    limit=Limit(
        1e-3,
        "mean ≤ {}",
        "an angle of 2.6°; the published steps stall at 3e-3 because the floating-point range ends there, so exact "
        "ones are read",
    ),
    read=partial(distance, "W"),
)

CLAIMS.add(
    key="KQ_to_nuclear",
    group="ours",
    short="$(K, Q)$ goes to the nuclear solution",
    statement="Gradient descent on (K, Q) goes in direction to the solution of least nuclear norm.",
    measured="median (quartiles) of 1 − correlation with the nuclear solution",
    limit=Limit(1e-2, "mean ≤ {}", "an angle of 8°; and the distance must not grow"),
    read=partial(distance, "KQ"),
)
