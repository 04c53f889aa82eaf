"""The rank of a solution is bounded, its rows lie in the span of the queries; and what print counts instead."""

from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from attnsvm.audit.evaluation import KNOWN, Claims, Reading, only, some
from attnsvm.audit.numbers import Limit, estimate, exact

CELL = ["n", "T", "d", "norm"]
CLAIMS = Claims(group="paper")


def largest(quantity, tables, limit):
    """The largest of `quantity`, given rows, over all separable instances; within the limit for either norm."""
    certified, found, count = tables.own(method="certified"), {}, 0
    for norm in ("fro", "nuc"):
        rows = only(certified, norm=norm)
        rows = some(rows[rows["feasible"] > 0], "separable instance")
        found[norm] = quantity(rows).max()
        count += rows["feasible"].sum()
    parts = {f"{norm} solutions": limit(value) for norm, value in found.items()}
    return Reading(*exact(max(found.values()), count), parts, every=True)


def excess(rows):
    """Of the rank that is proved over its bound."""
    return rows["rank_proved"] - np.minimum(rows["n"], rows["d"])


def bounded(tables, limit, near):
    """The excess of the rank, and the distance to the rank that it must have."""
    seen, away = largest(excess, tables, limit), largest(itemgetter("rank_error"), tables, near)
    parts = {f"{words} are {away.value:.0e} away from that rank at most": met for words, met in away.main.items()}
    return replace(seen, further=parts)


def cells(tables, **values):
    """As certified and as published, by cell."""
    return (tables.own(method=method, **values).set_index(CELL) for method in ("certified", "published"))


CLAIMS.add(
    key="rank_bound",
    kind="theorem",
    source=KNOWN,
    range=("seeds", "shapes", "tokens"),
    short="rank at most $\\min(n, d)$",
    statement="The rank of every SVM solution is at most min(n, d).",
    measured="largest excess of the proved rank over min(n, d), both norms",
    limit=Limit(0.0, "≤ {}", "the bound is exact"),
    near=Limit(1.5e-5, "away from that rank ≤ {}", "√(2·1e-10): what a gap of 1e-10 leaves in the Frobenius norm"),
    read=bounded,
)

CLAIMS.add(
    key="row_space",
    kind="theorem",
    source=KNOWN,
    short="rows in the span of the queries",
    statement="The rows of a solution lie in the span of the queries.",
    measured="largest share of ‖W‖ outside that span",
    limit=Limit(
        1e-9,
        "≤ {}",
        "the share is zero in exact arithmetic; rounding leaves about 1e-15 times the condition of the queries",
    ),
    read=partial(largest, itemgetter("outside_max")),
)


@CLAIMS.add(
    group="print",
    short="infeasible drawn as rank 1",
    statement="Instances without any separator are drawn as solutions of rank 1.",
    measured="separable instances in these shapes",
    limit=Limit(0.0, "rank ≤ {}", "there is no solution whose rank could be counted"),
    printed="mean rank drawn",
)
def print_infeasible(tables, limit):
    ours, published = cells(tables)
    empty = some(ours[ours["feasible"] == 0], "shape without any separable instance")
    drawn = some(published[published.index.isin(empty.index)], "published rank of such a shape")["value"].mean()
    instances = empty["drawn"].groupby(["n", "T", "d"]).first().sum()
    parts = {"no rank is drawn where nothing can be separated": limit(drawn)}
    return Reading(*exact(float(empty["feasible"].sum()), instances), parts, published=drawn)


@CLAIMS.add(
    group="print",
    short="nuclear ranks are solver noise",
    statement="The nuclear-norm ranks count the noise of a solver stopped near 1e-6.",
    measured="mean nuclear rank, certified, in the cell where they differ most",
    limit=Limit(0.5, "apart ≤ {}", "half a rank: more than the standard error of either mean"),
)
def print_noise(tables, limit):
    ours, published = cells(tables, norm="nuc")
    whole = some(ours[ours["feasible"] == ours["drawn"]], "shape of which all instances are separable")
    drawn = some(published[published.index.isin(whole.index)], "published rank of such a shape")["value"]
    worst = (drawn - whole["value"]).abs().idxmax()
    row, printed = whole.loc[worst], drawn[worst]
    seen = estimate(row)
    n, T, d, _ = worst
    parts = {f"the mean ranks agree at n = {n}, T = {T}, d = {d}": limit(abs(printed - seen.value))}
    return Reading(*seen, parts, published=printed)
