"""What holds of the slowest layers of deep stacks: 1/steps² from 10,000 steps on."""

import numpy as np

from attnsvm.audit.evaluation import Claims, NoInstance, Reading, some
from attnsvm.audit.numbers import Limit, largest, sample_median
from attnsvm.audit.rows import where

CLAIMS = Claims(group="beyond", tolerates=0.04)  # 1 of 32: half a rank of a median


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
    seeds=(200000, 200031),
    short="deep stacks: 1/steps² foretells every layer",
    statement="In a stack of six layers the distance of every layer falls like 1/steps² from 10,000 steps on, also "
    "in the slowest. Said of three inputs of five Gaussian tokens in 16 dimensions.",
    measured="median 1 − correlation, the farthest layer",
    limit=Limit(0.03, "≤ {}", "as first asked, of the upper ends"),
    foretold=Limit(
        1.4, "factor between a ninth and the median ≤ {}", "1/steps would leave 3, the power 1.5 leaves 1.73"
    ),
)
def layers_depth_squared(tables, limit, foretold):
    """The median of every layer after the last step, against that before times the squared ratio of the steps."""
    (found, others), factors = ends(tables), []
    for wide in layers(tables, "law").values():
        _, before, end = (wide[step] for step in sorted(wide))
        law = before.median() * (before.name / end.name) ** 2
        factors.append(np.exp(abs(np.log(end.median() / law))))
    worst = max(factors)
    parts = {
        f"every layer: upper end below {limit.value}": all(map(limit, found.values())),
        f"every median as 1/steps² foretells it, within a factor {worst:.2f}": foretold(worst),
    }
    return Reading(*largest(found)[:3], min(one.instances for one in found.values()), parts, others)
