"""More tokens at the same dimension make global ends rarer."""

from attnsvm.audit.conditions import LEAST, MOST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="ours")

share = number(type="global", parametrisation=("W", "KQ"), text="share of runs")
CLAIMS.declare(
    "token_count",
    (share(T=LEAST) - share(T=MOST)).must(
        "> 0", "the Wilson intervals of the two ends must not meet", "{parametrisation}"
    ),
    short="less often global as $T$ grows",
    statement="More tokens at the same dimension make global ends rarer.",
)
