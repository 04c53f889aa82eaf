"""What holds of the slowest layers of deep stacks: 1/steps² from 10,000 steps on."""

import numpy as np

from attnsvm.audit.numbers import Limit, largest
from attnsvm.audit.reading import Claims, Reading
from attnsvm.experiments.beyond.layers.deep_stacks.claims import ends, layers

CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="layers_depth",
    seeds=(200000, 200031),
    short="deep stacks: 1/steps² foretells every layer",
    statement="In a stack of six layers, with three inputs of five Gaussian tokens in 16 dimensions, the distance of "
    "every layer falls like 1/steps² from 10,000 steps on, also in the slowest, that below the top: what was "
    "missing then is a matter of steps.",
    check="1 − correlation with the law's SVM after 30,000 steps, medians and their 95 % intervals, and over a ninth "
    "of the median after 10,000; control: counting rows shuffled",
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
