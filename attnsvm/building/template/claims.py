"""The conjecture as a row of the audit: the verdict is computed from the table, and never written."""

from attnsvm.audit.reading import Claim, Reading
from attnsvm.audit.rows import ends


def closer(tables, least):
    table = tables.own()
    first, last = ends(table, "d")
    parts = {
        "the median falls": first["median"] - last["median"] > least,
        "the quartiles of the two ends do not meet": last["high"] < first["low"],
    }
    value = first["median"] - last["median"]
    return Reading(value, float("nan"), float("nan"), int(table["instances"].sum()), parts)


CLAIMS = (
    Claim(
        key="NAME",
        group="ours",
        short="closer to the SVM as $d$ grows",
        statement="The trained W comes closer to its SVM solution as d grows.",
        check="median 1 − correlation at the smallest d, minus that at the largest",
        threshold=0.0,
        why="a difference above zero, with quartiles that do not meet",
        measured="fall of the median of 1 − correlation",
        wanted="> {}",
        read=closer,
    ),
)
