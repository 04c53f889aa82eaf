"""Whether every input selects its optimal token, and is saturated, with W and with (K, Q) on the same instances."""

import pandas as pd

from attnsvm.analysis.statistics import mean, share
from attnsvm.experiments.paper.convergence_types.measures import measures as measures

SHAPE = ["n", "T", "d"]
COUNTED = {"selected": "optimal", "saturated": "global"}


def table(measures, settings):
    rows = []
    for key, found in measures.instances.groupby(SHAPE, sort=False):
        wide = found.pivot(index="seed", columns="parametrisation", values=[*COUNTED.values()]).astype(float)
        shape, leads = dict(zip(SHAPE, key, strict=True)), {}
        for counted, column in COUNTED.items():
            hits = wide[column]
            leads[counted] = hits["W"] - hits["KQ"]
            values = {name: share(hits[name]) for name in ("W", "KQ")} | {"lead": mean(leads[counted])}
            rows += [shape | {"counted": counted, "quantity": name} | numbers for name, numbers in values.items()]
        waiting = mean(leads["selected"] - leads["saturated"])
        rows.append(shape | {"counted": "selected", "quantity": "waiting"} | waiting)
    return pd.DataFrame(rows)
