"""The readings behind the claims: functions of the csv files and a threshold."""

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from attnsvm.audit.reading import Reading, Tables

CHANGE = 1e-3  # relative change of the norm over a decade of steps, of a run that has settled
SECOND = 1.959963984540054  # the normal quantile of a 95 % interval


def _wilson(hits: int, count: int) -> tuple[float, float, float]:
    interval = binomtest(hits, count).proportion_ci(0.95, method="wilson")
    return hits / count, interval.low, interval.high


def _mean(mean: float, std: float, count: float) -> tuple[float, float, float]:
    """A mean with its 95 % interval from the standard deviation over `count` instances."""
    half = SECOND * std / np.sqrt(count)
    return mean, mean - half, mean + half


def _sample(values: pd.Series) -> tuple[float, float, float]:
    return _mean(values.mean(), values.std(ddof=1), len(values))


def _counts(table: pd.DataFrame) -> pd.Series:
    return (table["share"] * table["instances"]).round().astype(int)


def feasibility(tables: Tables, least: float) -> Reading:
    table = tables.figure("feasibility")
    bound = np.maximum(table["T"] - 1, table["n"])
    above = table[table["d"] >= bound]
    value, low, high = _wilson(_counts(above).sum(), above["instances"].sum())
    parts = {
        f"{attention}-attention, {alpha} tokens": (group["share"] >= least).all()
        for (attention, alpha), group in above.groupby(["attention", "alpha"])
    }
    return Reading(value, low, high, int(above["instances"].sum()), parts)


def rank_bound(tables: Tables, most: float) -> Reading:
    table = tables.figure("svm_rank")
    table = table[(table["method"] == "certified") & (table["feasible"] > 0)]
    excess = table["rank_max"] - np.minimum(table["n"], table["d"])
    parts = {f"{norm} solutions": (excess[table["norm"] == norm] <= most).all() for norm in ("fro", "nuc")}
    return Reading(excess.max(), np.nan, np.nan, int(table["feasible"].sum()), parts)


def row_space(tables: Tables, most: float) -> Reading:
    table = tables.figure("svm_rank")
    certified = table[(table["method"] == "certified") & (table["feasible"] > 0)]
    largest = certified.groupby("norm")["outside_max"].max()
    parts = {f"{norm} solutions": bool(largest[norm] <= most) for norm in ("fro", "nuc")}
    return Reading(largest.max(), np.nan, np.nan, int(certified["feasible"].sum()), parts)


def _last(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["step"] == table["step"].max()]


def distance(parametrisation: str):
    """1 − correlation of the trained weights with their own norm's solution: median and quartiles; the mean decides."""

    def read(tables: Tables, most: float) -> Reading:
        table = tables.figure("normalisation")
        own = (table["normalisation"] == "exact") & (table["parametrisation"] == parametrisation)
        line = table[own].sort_values("step")
        end = line.iloc[-1]
        decade = line.iloc[(np.log10(line["step"] * 10 / end["step"])).abs().argmin()]
        parts = {
            f"mean within the threshold ({end['mean']:.2g})": end["mean"] <= most,
            f"median no larger than a decade of steps before ({decade['median']:.2g})": end["median"]
            <= decade["median"],
        }
        return Reading(end["median"], end["low"], end["high"], int(end["instances"]), parts)

    return read


def own_norm(figure: str, experiment: str | None = None):
    """The lead of the own norm's correlation over the other's, for either parametrisation; the smaller is the value."""

    def read(tables: Tables, least: float) -> Reading:
        table = tables.figure(figure)
        if experiment:
            table = table[table["experiment"] == experiment]
        ends = _last(table).set_index(["parametrisation", "quantity"])
        leads = {}
        for parametrisation, own, other in (("W", "corr_fro", "corr_nuc"), ("KQ", "corr_nuc", "corr_fro")):
            ahead, behind = ends.loc[(parametrisation, own)], ends.loc[(parametrisation, other)]
            # As if independent: the runs are the same, so that the interval is wider than it need be.
            std = np.hypot(ahead["std"], behind["std"])
            leads[parametrisation] = _mean(ahead["mean"] - behind["mean"], std, ahead["instances"])
        value, low, high = min(leads.values())
        parts = {f"{name} nearer to its own solution": lead[1] > least for name, lead in leads.items()}
        return Reading(value, low, high, int(ends["instances"].min()), parts)

    return read


def _shares(tables: Tables, figure: str) -> pd.DataFrame:
    table = tables.figure(figure)
    if "experiment" in table:
        table = table[table["experiment"] == "self_convergence_types"]
    return table.assign(hits=_counts(table.fillna({"share": 0, "instances": 0})))


def global_grows(figure: str):
    """The global share at the largest dimension against that at the smallest."""

    def read(tables: Tables, least: float) -> Reading:
        table = _shares(tables, figure)
        table = table[table["type"] == "global"].sort_values("d")
        parts, gains = {}, []
        for (n, T, parametrisation), line in table.groupby(["n", "T", "parametrisation"]):
            first, last = line.iloc[0], line.iloc[-1]
            falls = (line["high"].iloc[1:].to_numpy() < line["low"].iloc[:-1].to_numpy()).any()
            name = f"{parametrisation}, n = {n:.0f}, T = {T:.0f}"
            parts[name] = last["low"] - first["high"] > least and not falls
            gains.append((last["share"] - first["share"], last["low"] - first["high"], last["high"] - first["low"]))
        value, low, high = min(gains)
        return Reading(value, low, high, int(table["instances"].sum()), parts)

    return read


def locally_optimal(figure: str):
    """Among the runs that are not global, unsaturated ones included, those that end locally optimal along their SVM."""

    def read(tables: Tables, least: float) -> Reading:
        table = _shares(tables, figure)
        keys = ["n", "T", "d", "parametrisation"]
        hits = table.pivot_table(index=keys, columns="type", values="hits", aggfunc="sum").reset_index()
        hits["kept"] = hits["local"] - hits["global"]
        hits["all"] = hits["kept"] + hits["not_local"] + hits["not_saturated"]
        value, low, high = _wilson(int(hits["kept"].sum()), int(hits["all"].sum()))
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

    return read


def global_under_conditions(tables: Tables, most: float) -> Reading:
    """Among the runs on instances whose tokens are all support vectors, those that do not end global."""
    table = _shares(tables, "convergence_types")
    hits = table.groupby(["parametrisation", "type"])["hits"].sum().unstack()
    lost, count = hits["all_support_not_global"], hits["all_support"]
    value, low, high = _wilson(int(lost.sum()), int(count.sum()))
    parts = {f"{name} trained: {lost[name]} of {count[name]}": lost[name] <= most * count[name] for name in hits.index}
    return Reading(value, low, high, int(count.sum()), parts)


def fewer_with_tokens(tables: Tables, least: float) -> Reading:
    table = _shares(tables, "token_count")
    table = table[table["type"] == "global"].sort_values("T")
    parts, drops = {}, []
    for parametrisation, line in table.groupby("parametrisation"):
        first, last = line.iloc[0], line.iloc[-1]
        parts[parametrisation] = first["low"] - last["high"] > least
        drops.append((first["share"] - last["share"], first["low"] - last["high"], first["high"] - last["low"]))
    value, low, high = min(drops)
    return Reading(value, low, high, int(table["instances"].sum()), parts)


def _growth(tables: Tables) -> pd.DataFrame:
    """Per run: the norm's growth over the last decade of steps, and the last gradient."""
    table = tables.figure("norm_growth")
    end = table["step"].max()
    decade = table["step"].unique()[np.abs(np.log10(table["step"].unique() * 10 / end)).argmin()]
    keys = ["condition", "seed"]
    norms = table.pivot_table(index=keys, columns="step", values="norm")
    last = _last(table).set_index(keys)["gradient_norm"]
    return pd.DataFrame({"growth": norms[end] / norms[decade] - 1, "gradient": last}).reset_index()


def diverges(tables: Tables, least: float) -> Reading:
    runs = _growth(tables)
    runs = runs[runs["condition"].isin(["all_support", "equal_scores"])]
    grows = runs["growth"] >= least
    value, low, high = _wilson(int(grows.sum()), len(runs))
    parts = {f"every run, {name}": group.all() for name, group in grows.groupby(runs["condition"])}
    return Reading(value, low, high, len(runs), parts)


def settles(tables: Tables, most: float) -> Reading:
    runs = _growth(tables)
    runs = runs[runs["condition"] == "contradicting"]
    rests = (runs["growth"].abs() <= CHANGE) & (runs["gradient"] <= most)
    value, low, high = _wilson(int(rests.sum()), len(runs))
    return Reading(value, low, high, len(runs), {"every run with contradicting labels": rests.all()})


def stays(tables: Tables, least: float) -> Reading:
    table = tables.figure("cone")
    local = table[(table["kind"] == "locally_optimal") & (table["end"] == "converged")]
    narrow = local[local["mu"] == local["mu"][local["mu"] > 0].min()].sort_values("R")
    wide = local[(local["R"] == local["R"].max())].sort_values("mu")
    farthest, nearest = narrow.iloc[-1], narrow.iloc[0]
    parts = {
        f"at R = {farthest['R']:g} and 1 − correlation {farthest['mu']:g}": farthest["share"] >= least,
        "more often the larger R": narrow["share"].is_monotonic_increasing and farthest["share"] > nearest["share"],
        "more often the smaller the angle": wide["share"].iloc[0] > wide["share"].iloc[-1],
    }
    return Reading(farthest["share"], farthest["low"], farthest["high"], int(farthest["instances"]), parts)


def leaves(tables: Tables, most: float) -> Reading:
    table = tables.figure("cone")
    other = table[(table["kind"] == "not_locally_optimal") & (table["end"] == "stayed")]
    worst = other.sort_values("share").iloc[-1]
    parts = {f"R = {R:g}": (group["share"] <= most).all() for R, group in other.groupby("R")}
    return Reading(worst["share"], worst["low"], worst["high"], int(worst["instances"]), parts)


def path(norm: str):
    def read(tables: Tables, most: float) -> Reading:
        table = tables.figure("regularisation_path")
        table = table[table["norm"] == norm]
        largest = table["R"].max()
        end = table[table["R"] == largest]
        medians = table[table["R"] >= largest / 100].groupby("R")["distance"].median()
        value, low, high = _sample(end["distance"])
        parts = {
            "mean distance within the threshold": value <= most,
            "distance falls with R over the last two decades": medians.is_monotonic_decreasing,
            "first-order conditions met to 1e-5 on every ball": (table["gap"].abs() <= 1e-5).all(),
        }
        return Reading(value, low, high, len(end), parts)

    return read


def generalised(tables: Tables, most: float) -> Reading:
    table = tables.figure("multi_token")
    ends = _last(table[table["panel"] == "curve"]).pivot_table(index="d", columns="solution", values="value")
    runs = table[(table["panel"] == "scatter") & (table["d"] == table["d"].max())]
    value, low, high = _sample(runs["value"])
    parts = {}
    for d, row in ends.iterrows():
        ours = row["svmeq_norm"]
        parts[f"d = {d}: within the threshold ({ours:.2g})"] = ours <= most
        parts[f"d = {d}: nearer than W_mm and the one-token SVM"] = ours < min(row["mm"], row["one_token"])
    return Reading(value, low, high, len(runs), parts)


def simplex(tables: Tables, most: float) -> Reading:
    table = tables.figure("penalised_head")
    once = table[table["solution"] == "svmeq"]
    difference = (once["selected"] - once["optimal"]).abs()
    value, low, high = _sample(difference)
    means = once.groupby("lambda")["selected"].mean()
    worst = once.groupby("lambda")["value"].median().max()
    parts = {
        "number of selected tokens as in the closed form, within the threshold": value <= most,
        "the mean number rises with the penalty": means.is_monotonic_increasing and means.iloc[-1] > means.iloc[0],
        f"W_SVMeq: median 1 − correlation at most 0.02 at every penalty ({worst:.2g})": worst <= 0.02,
    }
    return Reading(value, low, high, len(once), parts)


def positions(attention: str):
    def read(tables: Tables, least: float) -> Reading:
        table = tables.figure("sequence")
        ends = _last(table[table["attention"] == attention]).set_index("parametrisation")
        readings = {name: _mean(row["mean"], row["std"], row["instances"]) for name, row in ends.iterrows()}
        value, low, high = min(readings.values())
        parts = {f"{name} trained": reading[0] >= least for name, reading in readings.items()}
        return Reading(value, low, high, int(ends["instances"].min()), parts)

    return read


def positional(tables: Tables, least: float) -> Reading:
    table = tables.figure("positional")
    norms = table[table["quantity"] == "norm"].pivot(index="seed", columns="tokens", values="value").dropna()
    readings = {name: _wilson(int((norms[name] < norms["plain"]).sum()), len(norms)) for name in ("encoded", "added")}
    words = {"encoded": "token lengths brought back to one", "added": "token lengths left to grow"}
    parts = {f"most margins widen, {words[name]} ({one[0]:.2g})": one[1] > least for name, one in readings.items()}
    return Reading(*readings["encoded"], len(norms), parts)


def infeasible_as_rank(tables: Tables, most: float) -> Reading:
    table = tables.figure("svm_rank")
    keys = ["n", "T", "d", "norm"]
    ours = table[table["method"] == "certified"].set_index(keys)
    print_ = table[table["method"] == "published"].set_index(keys)
    cells = ours.index[ours["feasible"] == 0]
    drawn = print_.loc[cells, "rank_mean"].mean()
    if cells.empty:
        raise ValueError("no cell without a feasible instance")
    instances = int(ours.loc[cells, "instances"].groupby(["n", "T", "d"]).first().sum())
    parts = {"no rank is drawn where nothing can be separated": bool(drawn <= most)}
    feasible = ours.loc[cells, "feasible"].sum()
    return Reading(float(feasible), np.nan, np.nan, instances, parts, drawn)


def noisy_ranks(tables: Tables, most: float) -> Reading:
    table = tables.figure("svm_rank")
    keys = ["n", "T", "d", "norm"]
    ours = table[(table["method"] == "certified") & (table["norm"] == "nuc")].set_index(keys)
    print_ = table[(table["method"] == "published") & (table["norm"] == "nuc")].set_index(keys)
    whole = ours[ours["feasible"] == ours["instances"]]
    worst = (print_.loc[whole.index, "rank_mean"] - whole["rank_mean"]).abs().idxmax()
    row, published = whole.loc[worst], print_.loc[worst, "rank_mean"]
    value, low, high = _mean(row["rank_mean"], row["rank_std"], row["instances"])
    n, T, d, _ = worst
    parts = {f"the mean ranks agree at n = {n}, T = {T}, d = {d}": bool(abs(published - value) <= most)}
    return Reading(value, low, high, int(row["instances"]), parts, published)


def fitted_scale(tables: Tables, most: float) -> Reading:
    table = tables.figure("multi_token")
    ends = _last(table[table["panel"] == "curve"]).pivot_table(index="d", columns="solution", values="value")
    row = ends.loc[ends.index.max()]
    differences = (ends["svmeq_norm"] - ends["svmeq"]).abs()
    parts = {f"d = {d}: the same without the oracle": difference <= most for d, difference in differences.items()}
    count = int(table[table["d"] == ends.index.max()]["accepted"].iloc[0])
    return Reading(row["svmeq_norm"], np.nan, np.nan, count, parts, row["svmeq"])


def rejections(tables: Tables, most: float) -> Reading:
    """The share of seeds that the acceptance rule keeps, at the largest d; in print, all that is drawn."""
    table = tables.figure("multi_token")
    counts = table[table["d"] == table["d"].max()].iloc[0]
    value, low, high = _wilson(int(counts["accepted"]), int(counts["tried"]))
    parts = {
        f"no more rejected than the threshold ({counts['accepted']:.0f} of {counts['tried']:.0f} kept)": 1 - value
        <= most
    }
    return Reading(value, low, high, int(counts["tried"]), parts, 1.0)
