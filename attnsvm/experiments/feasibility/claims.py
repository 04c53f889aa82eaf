"""Any choice of tokens can be separated where d is large enough."""

import numpy as np

from attnsvm.analysis.statistics import wilson
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import with_hits


def feasible(tables, least):
    table = with_hits(tables.own())
    bound = np.maximum(table["T"] - 1, table["n"])
    above = some(table[table["d"] >= bound], "instance with d at max(T − 1, n) or above")
    value, low, high = wilson(above["hits"].sum(), above["instances"].sum())
    parts = {
        f"{attention}-attention, {alpha} tokens": (group["share"] >= least).all()
        for (attention, alpha), group in above.groupby(["attention", "alpha"])
    }
    return Reading(value, low, high, int(above["instances"].sum()), parts)


CLAIMS = (
    Claim(
        key="feasibility",
        group="paper",
        short="separable from $d = \\max(T-1, n)$ on",
        statement="From d = max(T − 1, n) on, any choice of tokens can be separated, in cross- and in self-attention.",
        check="share of random instances with a certified separator, all d at or above the bound, Wilson interval",
        threshold=1.0,
        why="the claim is for almost all data: one infeasible instance refutes it",
        measured="share of instances with a certified separator",
        wanted="≥ {}",
        read=feasible,
    ),
)
