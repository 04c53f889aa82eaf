"""What holds of the slowest layers of deep stacks: 1/steps², known from a third of the steps."""

import numpy as np

from attnsvm.audit.numbers import Limit, largest, sample_median
from attnsvm.audit.reading import Claims, NoInstance, Reading, some
from attnsvm.audit.rows import where

CLAIMS = Claims(group="beyond")


def layers(tables, rule):
    """By depth and layer: the distances (instances, three steps)."""
    rows = some(where(tables.own(), rule=rule), "stack that is saturated and has certified solutions")
    if rows["step"].nunique() < 3:
        raise NoInstance("third step")
    return {
        place: own.pivot(index="seed", columns="step", values="value")
        for place, own in rows.groupby(["depth", "layer"])
    }


def ends(tables):
    """The median of every layer after the last step, and the further conditions: how tails and control are."""
    laws, shuffled = layers(tables, "law"), layers(tables, "shuffled")
    found = {place: sample_median(wide.iloc[:, -1]) for place, wide in laws.items()}
    tails = [tail.iloc[-1] < tail.iloc[-2] for tail in (wide.quantile(0.95) for wide in laws.values())]
    controls = [sample_median(shuffled[at].iloc[:, -1]).low > own.high for at, own in found.items() if at in shuffled]
    further = {
        "every layer's 95 % quantile falls": all(tails),
        "every layer below the top is farther with the counting rows shuffled": all(controls),
    }
    return found, further


@CLAIMS.add(
    sharpens="layers_depth",
    seeds=(100000, 100031),
    short="deep stacks: 1/steps², in every layer",
    statement="In a stack of six layers the distance of every layer falls like 1/steps², also in the slowest, that "
    "below the top: what is missing after 10,000 steps is a matter of steps, and known from them.",
    check="1 − correlation with the law's SVM after 30,000 steps, medians and their 95 % intervals; slope of the "
    "median against the step; median predicted by continuing each instance from 3333 and 10,000 steps as a power of "
    "the step; control: counting rows shuffled",
    measured="median 1 − correlation, the farthest layer",
    limit=Limit(0.03, "≤ {}", "as first asked, of the upper ends"),
    slope=Limit(-1.5, "slope of every layer's median ≤ {}", "nearer to −2 than to −1"),
    foretold=Limit(
        1.5, "factor between predicted and measured median ≤ {}", "1/steps instead of 1/steps² would be a factor 3"
    ),
)
def layers_depth_steps(tables, limit, slope, foretold):
    """The median of every layer after the last step, how it falls, and what the first two steps say of it."""
    found, others = ends(tables)
    falls, ratios = {}, {}
    for place, wide in layers(tables, "law").items():
        first, before, end = (wide[step] for step in sorted(wide))
        further = np.log(wide.columns[2] / wide.columns[1]) / np.log(wide.columns[1] / wide.columns[0])
        predicted = before * (before / first) ** further
        falls[place] = np.log(end.median() / before.median()) / np.log(wide.columns[2] / wide.columns[1])
        ratios[place] = abs(np.log(end.median() / predicted.median()))
    worst = max(falls.values())
    parts = {
        f"every layer: upper end below {limit.value}": all(map(limit, found.values())),
        f"every layer's median falls like the step to the power {worst:.2f} or faster": slope(worst),
    }
    factor = np.exp(max(ratios.values()))
    others = {f"known before: every median within a factor {factor:.2f}": foretold(factor)} | others
    return Reading(*largest(found)[:3], min(one.instances for one in found.values()), parts, others)
