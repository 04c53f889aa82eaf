"""Each parametrisation goes in direction to the solution of its own norm, under exactly normalised steps."""

from functools import partial

import numpy as np

from attnsvm.audit.reading import Claim, NoInstance, Reading, some


def distance(parametrisation, tables, most):
    """1 − correlation with the own norm's solution: median and quartiles are shown, the mean decides."""
    table = tables.own()
    own = (table["normalisation"] == "exact") & (table["parametrisation"] == parametrisation)
    line = some(table[own], "certified solution of what was selected").sort_values("step")
    end = line.iloc[-1]
    decade = line.iloc[(np.log10(line["step"] * 10 / end["step"])).abs().argmin()]
    if decade["step"] == end["step"]:
        raise NoInstance("step about a decade before the last")
    parts = {
        f"mean within the threshold ({end['mean']:.2g})": end["mean"] <= most,
        f"median no larger than a decade of steps before ({decade['median']:.2g})": end["median"] <= decade["median"],
    }
    return Reading(end["median"], end["low"], end["high"], int(end["instances"]), parts)


CHECK = (
    "1 − correlation after 1e5 exactly normalised steps, median and quartiles; the mean must not exceed the threshold"
)
CLAIMS = (
    Claim(
        key="W_to_frobenius",
        group="paper",
        short="$W$ goes to the Frobenius solution",
        statement="Gradient descent on W goes in direction to the solution of least Frobenius norm.",
        check=CHECK,
        threshold=1e-3,
        why="an angle of 2.6°; the published steps stall at 3e-3 because the floating-point range ends there, "
        "so exact ones are read",
        measured="median of 1 − correlation with the Frobenius solution",
        wanted="mean ≤ {}",
        read=partial(distance, "W"),
    ),
    Claim(
        key="KQ_to_nuclear",
        group="paper",
        short="$(K, Q)$ goes to the nuclear solution",
        statement="Gradient descent on (K, Q) goes in direction to the solution of least nuclear norm.",
        check=CHECK,
        threshold=1e-2,
        why="an angle of 8°; and the distance must not grow: a limit is not left again",
        measured="median of 1 − correlation with the nuclear solution",
        wanted="mean ≤ {}",
        read=partial(distance, "KQ"),
    ),
)
