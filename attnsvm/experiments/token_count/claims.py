"""More tokens at the same dimension make global ends rarer."""

from attnsvm.audit.reading import Claim, Reading
from attnsvm.audit.rows import ends


def fewer_with_tokens(tables, least):
    table = tables.own(type="global").sort_values("T")
    parts, drops = {}, []
    for parametrisation, line in table.groupby("parametrisation"):
        first, last = ends(line, "T")
        parts[parametrisation] = first["low"] - last["high"] > least
        drops.append((first["share"] - last["share"], first["low"] - last["high"], first["high"] - last["low"]))
    value, low, high = min(drops)
    return Reading(value, low, high, int(table["instances"].sum()), parts)


CLAIMS = (
    Claim(
        key="token_count",
        group="ours",
        short="less often global as $T$ grows",
        statement="More tokens at the same dimension make global ends rarer.",
        check="global share at the smallest T minus that at the largest, the smaller of W and (K, Q)",
        threshold=0.0,
        why="the Wilson intervals of the two ends must not meet",
        measured="loss of global share from the smallest to the largest T",
        wanted="> {}",
        read=fewer_with_tokens,
    ),
)
