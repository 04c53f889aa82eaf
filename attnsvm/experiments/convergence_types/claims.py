"""Runs end at the optimal tokens, more often as d grows; where they do not, at locally optimal ones."""

import numpy as np

from attnsvm.analysis.statistics import Z95, wilson
from attnsvm.audit.reading import Claim, NoInstance, Reading, only
from attnsvm.audit.rows import ends, with_hits


def global_grows(table, least):
    """The global share at the largest dimension against that at the smallest."""
    table = only(table, type="global").sort_values("d")
    parts, gains = {}, []
    for (n, T, parametrisation), line in table.groupby(["n", "T", "parametrisation"]):
        first, last = ends(line, "d")
        falls = (line["high"].iloc[1:].to_numpy() < line["low"].iloc[:-1].to_numpy()).any()
        name = f"{parametrisation}, n = {n:.0f}, T = {T:.0f}"
        parts[name] = last["low"] - first["high"] > least and not falls
        gains.append((last["share"] - first["share"], last["low"] - first["high"], last["high"] - first["low"]))
    value, low, high = min(gains)
    return Reading(value, low, high, int(table["instances"].sum()), parts)


def global_under_conditions(table, most):
    """Among the runs on instances whose tokens are all support vectors, those that do not end global."""
    hits = with_hits(table).groupby(["parametrisation", "type"])["hits"].sum().unstack()
    lost, count = hits["all_support_not_global"], hits["all_support"]
    if not count.sum():
        raise NoInstance("instance whose tokens are all support vectors")
    value, low, high = wilson(int(lost.sum()), int(count.sum()))
    parts = {
        f"{name} trained: {lost[name]} of {count[name]}": lost[name] <= most * count[name]
        for name in hits.index
        if count[name]
    }
    return Reading(value, low, high, int(count.sum()), parts)


def locally_optimal(table, least):
    """Among the runs that are not global, unsaturated ones included, those that end locally optimal along their SVM."""
    keys = ["n", "T", "d", "parametrisation"]
    hits = with_hits(table).pivot_table(index=keys, columns="type", values="hits", aggfunc="sum").reset_index()
    hits["kept"] = hits["local"] - hits["global"]
    hits["all"] = hits["kept"] + hits["not_local"] + hits["not_saturated"]
    if not hits["all"].sum():
        raise NoInstance("run that is not global")
    value, low, high = wilson(int(hits["kept"].sum()), int(hits["all"].sum()))
    parts = {}
    for parametrisation in ("W", "KQ"):
        for name, at_bound in (("d ≥ max(T − 1, n)", True), ("d below", False)):
            inside = (hits["d"] >= np.maximum(hits["T"] - 1, hits["n"])) == at_bound
            own = hits[inside & (hits["parametrisation"] == parametrisation)]
            kept, count = own["kept"].sum(), own["all"].sum()
            if count:
                lost = own["not_saturated"].sum()
                words = f"{parametrisation}, {name}: {kept / count:.3f} of {count}, {lost} not saturated"
                parts[words] = kept / count >= least
    return Reading(value, low, high, int(hits["all"].sum()), parts)


def parametrisations_cross(table, least):
    """Global shares of the largest shape: W minus (K, Q), d from 2 T on; and d below T, where the sign is the other."""
    n, T = max(zip(table["n"], table["T"], strict=True))
    own = with_hits(table[(table["n"] == n) & (table["T"] == T) & (table["type"] == "global")])
    found = {}
    for name, inside in ((f"d ≥ {2 * T:.0f}", own["d"] >= 2 * T), (f"d < {T:.0f}", own["d"] < T)):
        if not inside.any():
            raise NoInstance(f"instance with {name}")
        sums = own[inside].groupby("parametrisation")[["hits", "instances"]].sum()
        share = sums["hits"] / sums["instances"]
        width = Z95 * np.sqrt((share * (1 - share) / sums["instances"]).sum())
        gain = share["W"] - share["KQ"]
        found[name] = gain, gain - width, gain + width, int(sums["instances"].sum())
    (large, above), (small, below) = found.items()
    parts = {f"{large}: W more often": above[1] > least, f"{small}: (K, Q) more often": below[2] < -least}
    return Reading(*above, parts)


CLAIMS = (
    Claim(
        key="global_grows",
        group="paper",
        short="more often global as $d$ grows",
        statement="Runs end at the optimal tokens more often as d grows.",
        check="global share at the largest d minus that at the smallest, least over shapes and parametrisations",
        threshold=0.0,
        why="the Wilson intervals of the two ends must not meet, and no step of d may lower the share significantly",
        measured="gain of the global share from the smallest to the largest d",
        wanted="> {}",
        read=lambda tables, least: global_grows(tables.own(), least),
    ),
    Claim(
        key="global_under_conditions",
        group="paper",
        short="all support vectors: not global",
        statement="Where all tokens are support vectors, descent ends at the optimal tokens.",
        check="share of such instances whose run does not end global, over all n, T and d, Wilson interval",
        threshold=0.01,
        why="the claim allows none; one in a hundred may still be on its way after 5000 steps",
        measured="share of such runs that do not end global",
        wanted="≤ {}",
        read=lambda tables, most: global_under_conditions(tables.own(), most),
    ),
    Claim(
        key="locally_optimal",
        group="paper",
        short="where not global, locally optimal",
        statement="A run that does not end at the optimal tokens ends at locally optimal ones, along their SVM "
        "solution.",
        check="share of the runs that are not global, unsaturated ones included, whose tokens are locally optimal and "
        "whose correlation is 0.9 or more, Wilson interval; each part by its share",
        threshold=0.95,
        why="a limit is judged after finitely many steps: one run in twenty may still be on its way",
        measured="share of runs that are not global and end locally optimal",
        wanted="≥ {}",
        read=lambda tables, least: locally_optimal(tables.own(), least),
    ),
    Claim(
        key="parametrisations_cross",
        group="ours",
        short="W more often global at large $d$, $(K,Q)$ at small",
        statement="Training W ends globally more often than training (K, Q) where d is large, and less often where it "
        "is small.",
        check="global share with W minus that with (K, Q), largest shape, over all d from 2 T on, its 95 % interval; "
        "part: the same over d below T, with the other sign",
        threshold=0.0,
        why="found with twenty times the instances (docs/performance.md), of which the first are those of this table; "
        "the intervals must leave out zero",
        measured="difference of the global shares, d from 2 T on",
        wanted="> {}",
        read=lambda tables, least: parametrisations_cross(tables.own(), least),
    ),
)
