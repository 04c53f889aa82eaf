"""The conjecture as a row of the audit: the verdict is computed from the table, and never written."""

from attnsvm.audit.numbers import Limit, difference, estimate, exact
from attnsvm.audit.reading import Claims, Reading
from attnsvm.audit.rows import ends

CLAIMS = Claims(group="ours")


@CLAIMS.add(
    key="NAME",
    short="closer to the SVM as $d$ grows",
    statement="The trained W comes closer to its SVM solution as d grows.",
    check="median 1 − correlation at the smallest d, minus that at the largest",
    measured="fall of the median of 1 − correlation",
    asked=Limit(0.0, "> {}", "a difference above zero, with quartiles that do not meet"),
)
def closer(tables, asked):
    table = tables.own()
    first, last = (estimate(row, "median") for row in ends(table, "d"))
    fall = difference(first, last)
    parts = {"the median falls": asked(fall.value), "the quartiles of the two ends do not meet": asked(fall)}
    return Reading(*exact(fall.value, table["instances"].sum()), parts)
