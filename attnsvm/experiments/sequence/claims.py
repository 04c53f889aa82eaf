"""With a query at every position, W goes to the SVM solution constrained at every position."""

from functools import partial

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import last, single


def positions(attention, tables, least):
    table = tables.own()
    ends = last(some(table[table["attention"] == attention], f"saturated run of {attention} prediction"))
    readings = {}
    for name in ("W", "KQ"):
        row = single(some(ends[ends["parametrisation"] == name], f"saturated run of {attention} prediction for {name}"))
        readings[name] = mean_interval(row["mean"], row["std"], row["instances"])
    value, low, high = min(readings.values())
    parts = {f"{name} trained": reading[0] >= least for name, reading in readings.items()}
    return Reading(value, low, high, int(ends["instances"].min()), parts)


CHECK = "correlation after the last step, the smaller mean of W and (K, Q), and its 95 % interval"
CLAIMS = (
    Claim(
        key="sequence",
        group="paper",
        short="query at every position",
        statement="With a query at every position, W goes to the SVM solution constrained at every position.",
        check=CHECK,
        threshold=0.98,
        why="an angle of 11°",
        measured="mean correlation with that solution",
        wanted="≥ {}",
        read=partial(positions, "sequence"),
    ),
    Claim(
        key="causal",
        group="paper",
        short="causal prediction",
        statement="The same where only the tokens up to the query compete (causal prediction).",
        check=CHECK,
        threshold=0.98,
        why="an angle of 11°",
        measured="mean correlation with that solution",
        wanted="≥ {}",
        read=partial(positions, "causal"),
    ),
)
