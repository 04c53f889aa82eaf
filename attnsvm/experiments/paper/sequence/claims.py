"""With a query at every position, W goes to the SVM solution constrained at every position."""

from functools import partial

from attnsvm.audit.numbers import Limit, each, mean
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, one, where

CHECK = "correlation after the last step, the smaller mean of W and (K, Q), and its 95 % interval"
CLAIMS = Claims(group="paper")


def positions(attention, tables, asked):
    run = f"saturated run of {attention} prediction"
    ends = last(some(where(tables.own(), attention=attention), run))
    found = {name: mean(one(ends, f"{run} for {name}", parametrisation=name)) for name in ("W", "KQ")}
    parts = each(found, "{} trained", lambda seen: asked(seen.value))
    return Reading(*min(found.values())[:3], ends["instances"].min(), parts)


CLAIMS.add(
    key="sequence",
    short="query at every position",
    statement="With a query at every position, W goes to the SVM solution constrained at every position.",
    check=CHECK,
    measured="mean correlation with that solution",
    asked=Limit(0.98, "≥ {}", "an angle of 11°"),
    read=partial(positions, "sequence"),
)

CLAIMS.add(
    key="causal",
    short="causal prediction",
    statement="The same where only the tokens up to the query compete (causal prediction).",
    check=CHECK,
    measured="mean correlation with that solution",
    asked=Limit(0.98, "≥ {}", "an angle of 11°"),
    read=partial(positions, "causal"),
)
