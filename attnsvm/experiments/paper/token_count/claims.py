"""More tokens at the same dimension make global ends rarer."""

from attnsvm.audit.numbers import Limit, difference, each, estimate
from attnsvm.audit.reading import Claims, Reading
from attnsvm.audit.rows import ends

CLAIMS = Claims(group="ours")


@CLAIMS.add(
    short="less often global as $T$ grows",
    statement="More tokens at the same dimension make global ends rarer.",
    check="global share at the smallest T minus that at the largest, the smaller of W and (K, Q)",
    measured="loss of global share from the smallest to the largest T",
    asked=Limit(0.0, "> {}", "the Wilson intervals of the two ends must not meet"),
)
def token_count(tables, asked):
    table, drops = tables.own(type="global").sort_values("T"), {}
    for parametrisation, line in table.groupby("parametrisation"):
        first, last = (estimate(row) for row in ends(line, "T"))
        drops[parametrisation] = difference(first, last)
    return Reading(*min(drops.values())[:3], table["instances"].sum(), each(drops, "{}", asked))
