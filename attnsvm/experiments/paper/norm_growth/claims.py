"""Plain gradient descent diverges under the conditions of the theory; where they fail it can settle."""

import pandas as pd

from attnsvm.audit.evaluation import KNOWN, Claims, Reading, some
from attnsvm.audit.numbers import Limit, sample_median, share_of
from attnsvm.audit.rows import decade, last, where

CLAIMS = Claims(group="paper")


def runs_of(tables, condition):
    """Per run of a condition: the norm's growth over the last decade of steps, and the last gradient."""
    table = some(tables.own(), "run")
    end, before = (row["step"] for row in decade(table.sort_values("step")))
    own = some(where(table, condition=condition), f"run with the condition {condition}")
    norms = own.pivot_table(index="seed", columns="step", values="norm")
    gradients = last(own).set_index("seed")["gradient_norm"]
    return pd.DataFrame({"growth": norms[end] / norms[before] - 1, "gradient": gradients})


@CLAIMS.add(
    kind="theorem",
    source=KNOWN,
    short="norm diverges under the conditions",
    statement="Where all tokens are support vectors, or all but the best have one score, plain descent sends the "
    "norm to infinity.",
    measured="share of runs whose norm still grows over the last decade of steps",
    limit=Limit(
        0.05,
        "growth of every run ≥ {}",
        "growth like log k means 25 % over the decade up to 1e5 steps; a fifth of that is required",
    ),
)
def diverges(tables, limit):
    found = {name: runs_of(tables, name)["growth"].map(limit) for name in ("all_support", "equal_scores")}
    grows = pd.concat(found)
    return Reading(*share_of(grows), {f"every run, {name}": runs.all() for name, runs in found.items()})


@CLAIMS.add(
    kind="theorem",
    source=KNOWN,
    short="favourable gradient: the optimal tokens' SVM",
    statement="Where the first gradient favours every optimal token over every other, plain descent goes in direction "
    "to the Frobenius solution of the optimal tokens.",
    measured="median of what the last decade of steps leaves of 1 − correlation",
    limit=Limit(0.8, "≤ {}", "1/log² of the step leaves 0.64, a standstill 1"),
    each=Limit(1.0, "left in every run < {}", "none may stand still or leave"),
)
def favourable(tables, limit, each):
    """What is left, run by run, of the distance from the Frobenius solution of the optimal tokens."""
    table = tables.own()
    runs = some(table[table["favourable"] > 0].sort_values("step"), "run with a favourable first gradient")
    end, before = (row["step"] for row in decade(runs))
    left = 1 - runs.pivot_table(index=["condition", "seed"], columns="step", values="correlation")
    found = left[end] / left[before]
    near = {f"the farthest of {len(left)} ends at {left[end].max():.2g}": each(found.max())}
    return Reading(*sample_median(found), {"half of them by that": limit(sample_median(found))} | near)


@CLAIMS.add(
    short="a finite stationary point without them",
    statement="Labels that contradict each other, as here by construction, can have a finite stationary point, where "
    "plain gradient descent settles.",
    measured="share of runs, every input given with both labels, that come to rest",
    limit=Limit(
        1e-6,
        "gradient of every run ≤ {}",
        "a diverging run's gradient at this step is above 1e-5, and its norm grows by 25 % and more",
    ),
    still=Limit(
        1e-3,
        "change of the norm over the last decade of steps ≤ {}",
        "a hundredth of what a run that diverges grows by",
    ),
)
def settles(tables, limit, still):
    runs = runs_of(tables, "contradicting")
    rests = runs["growth"].abs().map(still) & runs["gradient"].map(limit)
    return Reading(*share_of(rests), {"every run with contradicting labels": rests.all()})
