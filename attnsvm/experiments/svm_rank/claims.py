"""The rank of a solution is bounded, its rows lie in the span of the queries; and what print counts instead."""

import numpy as np

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import Claim, Reading, only, some

CELL = ["n", "T", "d", "norm"]


def _separable(tables):
    """The rows of certified solutions by norm."""
    certified = tables.own(method="certified")
    return {
        norm: some(rows[rows["feasible"] > 0], "separable instance")
        for norm in ("fro", "nuc")
        for rows in [only(certified, norm=norm)]
    }


def _feasible(rows_by_norm):
    return int(sum(rows["feasible"].sum() for rows in rows_by_norm.values()))


def rank_bound(tables, most):
    solved = _separable(tables)
    excess = {norm: (rows["rank_max"] - np.minimum(rows["n"], rows["d"])).max() for norm, rows in solved.items()}
    parts = {f"{norm} solutions": largest <= most for norm, largest in excess.items()}
    return Reading(max(excess.values()), np.nan, np.nan, _feasible(solved), parts)


def row_space(tables, most):
    solved = _separable(tables)
    outside = {norm: rows["outside_max"].max() for norm, rows in solved.items()}
    parts = {f"{norm} solutions": largest <= most for norm, largest in outside.items()}
    return Reading(max(outside.values()), np.nan, np.nan, _feasible(solved), parts)


def infeasible_as_rank(tables, most):
    ours, published = (tables.own(method=method).set_index(CELL) for method in ("certified", "published"))
    empty = some(ours[ours["feasible"] == 0], "shape without any separable instance")
    drawn = published.loc[empty.index, "rank_mean"].mean()
    instances = int(empty["instances"].groupby(["n", "T", "d"]).first().sum())
    parts = {"no rank is drawn where nothing can be separated": drawn <= most}
    return Reading(float(empty["feasible"].sum()), np.nan, np.nan, instances, parts, drawn)


def noisy_ranks(tables, most):
    ours, published = (tables.own(method=method, norm="nuc").set_index(CELL) for method in ("certified", "published"))
    whole = some(ours[ours["feasible"] == ours["instances"]], "shape of which all instances are separable")
    worst = (published.loc[whole.index, "rank_mean"] - whole["rank_mean"]).abs().idxmax()
    row, printed = whole.loc[worst], published.loc[worst, "rank_mean"]
    value, low, high = mean_interval(row["rank_mean"], row["rank_std"], row["instances"])
    n, T, d, _ = worst
    parts = {f"the mean ranks agree at n = {n}, T = {T}, d = {d}": abs(printed - value) <= most}
    return Reading(value, low, high, int(row["instances"]), parts, printed)


CLAIMS = (
    Claim(
        key="rank_bound",
        group="paper",
        short="rank at most $\\min(n, d)$",
        statement="The rank of every SVM solution is at most min(n, d).",
        check="largest certified rank minus min(n, d), over all separable instances and both norms",
        threshold=0.0,
        why="the bound is exact",
        measured="largest excess of the rank over min(n, d)",
        wanted="≤ {}",
        read=rank_bound,
    ),
    Claim(
        key="row_space",
        group="paper",
        short="rows in the span of the queries",
        statement="The rows of a solution lie in the span of the queries.",
        check="largest share of ‖W‖ outside that span; the certificates prove W optimal among all matrices",
        threshold=1e-9,
        why="the share is zero in exact arithmetic; rounding leaves about 1e-15 times the condition of the queries",
        measured="largest share of ‖W‖ outside that span",
        wanted="≤ {}",
        read=row_space,
    ),
    Claim(
        key="print_infeasible",
        group="print",
        short="infeasible drawn as rank 1",
        statement="Instances without any separator are drawn as solutions of rank 1.",
        check="mean rank as published, and how many instances are feasible, in the cells where our certificates "
        "find none",
        threshold=0.0,
        why="there is no solution whose rank could be counted",
        measured="separable instances in these shapes",
        wanted="rank ≤ {}",
        printed="mean rank drawn",
        read=infeasible_as_rank,
    ),
    Claim(
        key="print_noise",
        group="print",
        short="nuclear ranks are solver noise",
        statement="The nuclear-norm ranks count the noise of a solver stopped near 1e-6.",
        check="mean rank as published and certified, in the cell (all instances feasible) where they differ most",
        threshold=0.5,
        why="half a rank: more than the standard error of either mean",
        measured="mean nuclear rank, certified",
        wanted="apart ≤ {}",
        read=noisy_ranks,
    ),
)
