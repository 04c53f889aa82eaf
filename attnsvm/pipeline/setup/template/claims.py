"""The conjecture as a row of the audit: the verdict is computed from the table, and never written."""

from attnsvm.audit.conditions import LEAST, MOST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="ours")

distance = number(text="1 − correlation with the SVM solution")
CLAIMS.declare(
    "NAME",
    (distance(d=LEAST) - distance(d=MOST)).must(
        "> 0", "a fall, with quartiles that do not meet", "fall of the median: {value:.2g}, {low:.2g} at least"
    ),
    short="closer to the SVM as $d$ grows",
    statement="The trained W comes closer to its SVM solution as d grows.",
    measured="fall of the median of 1 − correlation",
)
