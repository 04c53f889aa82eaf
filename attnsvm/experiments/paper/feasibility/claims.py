"""Any choice of tokens can be separated where d is large enough."""

import numpy as np

from attnsvm.audit.evaluation import KNOWN, Claims, Reading, some
from attnsvm.audit.numbers import Limit, proportion
from attnsvm.audit.rows import with_hits

CLAIMS = Claims(group="paper")


@CLAIMS.add(
    kind="theorem",
    source=KNOWN,
    short="separable from $d = \\max(T-1, n)$ on",
    statement="For almost all data, from d = max(T − 1, n) on, any choice of tokens can be separated, in cross- and in "
    "self-attention.",
    measured="share of instances with a certified separator, d at the bound or above",
    limit=Limit(1.0, "each share ≥ {}", "the claim is for almost all data: one infeasible instance refutes it"),
    range=("seeds", "shapes", "correlated", "heavy", "lengths"),
)
def feasibility(tables, limit):
    table = with_hits(tables.own())
    bound = np.maximum(table["T"] - 1, table["n"])
    above = some(table[table["d"] >= bound], "instance with d at max(T − 1, n) or above")
    parts = {
        f"{attention}-attention, {alpha} tokens": all(map(limit, group["value"]))
        for (attention, alpha), group in above.groupby(["attention", "alpha"])
    }
    return Reading(*proportion(above["hits"].sum(), above["instances"].sum()), parts)
