"""Plain gradient descent diverges under the conditions of the theory; where they fail it can settle."""

import numpy as np
import pandas as pd

from attnsvm.analysis.statistics import wilson
from attnsvm.audit.reading import Claim, NoInstance, Reading, only
from attnsvm.audit.rows import last

CHANGE = 1e-3  # relative change of the norm over a decade of steps, of a run that has settled


def _runs(tables, condition):
    """Per run of a condition: the norm's growth over the last decade of steps, and the last gradient."""
    table = tables.own()
    steps, end = table["step"].unique(), table["step"].max()
    decade = steps[np.abs(np.log10(steps * 10 / end)).argmin()]
    if decade == end:
        raise NoInstance("step about a decade before the last")
    own = only(table, condition=condition)
    norms = own.pivot_table(index="seed", columns="step", values="norm")
    gradients = last(own).set_index("seed")["gradient_norm"]
    return pd.DataFrame({"growth": norms[end] / norms[decade] - 1, "gradient": gradients})


def diverges(tables, least):
    grows = {name: _runs(tables, name)["growth"] >= least for name in ("all_support", "equal_scores")}
    count = sum(len(runs) for runs in grows.values())
    value, low, high = wilson(int(sum(runs.sum() for runs in grows.values())), count)
    parts = {f"every run, {name}": runs.all() for name, runs in grows.items()}
    return Reading(value, low, high, count, parts)


def settles(tables, most):
    runs = _runs(tables, "contradicting")
    rests = (runs["growth"].abs() <= CHANGE) & (runs["gradient"] <= most)
    value, low, high = wilson(int(rests.sum()), len(runs))
    return Reading(value, low, high, len(runs), {"every run with contradicting labels": rests.all()})


CLAIMS = (
    Claim(
        key="diverges",
        group="paper",
        short="norm diverges under the conditions",
        statement="Where all tokens are support vectors, or all but the best have one score, there is no finite "
        "stationary point: plain gradient descent sends the norm to infinity.",
        check="share of runs whose norm grows by the threshold or more over the last decade of steps, Wilson interval",
        threshold=0.05,
        why="growth like log k means 25 % over the decade up to 1e5 steps; a fifth of that is required",
        measured="share of runs whose norm still grows over the last decade of steps",
        wanted="growth ≥ {}",
        read=diverges,
    ),
    Claim(
        key="settles",
        group="paper",
        short="a finite stationary point without them",
        statement="Where those conditions fail, a finite stationary point can exist, and plain gradient descent "
        "settles there.",
        check="share of runs, every input given with both labels, whose gradient ends below the threshold and whose "
        "norm changes by less than 0.1 % over the last decade, Wilson interval",
        threshold=1e-6,
        why="a diverging run's gradient at this step is above 1e-5, and its norm grows by 25 % and more",
        measured="share of runs that come to rest",
        wanted="gradient ≤ {}",
        read=settles,
    ),
)
