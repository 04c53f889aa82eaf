"""How far K Qᵀ is from its nuclear solution, and from a margin ratio of one, along every run."""

import numpy as np
import pandas as pd

from attnsvm.analysis.decades import before
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import all_solved, curves, gathered, outcomes
from attnsvm.analysis.medians import medians, quartiles
from attnsvm.analysis.rows import last, where

QUANTITIES = ("distance", "nuclear", "spectral")


@gathered
def measures(cell, problems, trained, solved, settings):
    solutions = solved["solutions"]
    certified = all_solved(solutions.values())
    for name, run in trained.items():
        place = solved["place"][name]
        good = certified[place]
        kept, place, W = problems[good], place[good], run["weights"][good]
        given = kept.tokens, kept.queries, W, solved["selected"][place]
        values = {"distance": 1 - correlation(W, solutions["nuc"]["W"][place][:, None])}
        for quantity, norm in (("nuclear", "nuc"), ("spectral", "spectral")):
            values[quantity] = 1 - margin_ratio(*given, norm, solutions[norm]["W"][place])
        rule = name.rsplit("_m", 1)[0]
        columns = {"rule": rule, "m": int(run["m"]), "scale": float(run["scale"])}
        yield curves(kept.seeds, run["steps"], values, **columns)
        yield outcomes(cell, problems.seeds, np.where(good, f"{rule} measured", f"{rule} without SVM"))


def table(measures, settings):
    frame = measures.instances
    run = ["rule", "m", "scale"]
    ways = frame.melt(id_vars=[*run, "seed", "step"], value_vars=list(QUANTITIES), var_name="quantity")
    last = frame.groupby(run, sort=False)["step"].transform("max")
    ends = frame[frame["step"] == last].set_index([*run, "seed"])
    smallest = frame.groupby([*run, "seed"], sort=False)["distance"].min()
    left = ends.assign(quantity="left", value=ends["distance"] / smallest.reindex(ends.index)).reset_index()
    keys = [*run, "step", "quantity"]
    summed = quartiles(pd.concat([ways, left[ways.columns]]).groupby(keys, sort=False)["value"])
    grown = left.assign(quantity="grown", value=left["value"] > settings["left"])
    ratios = pd.DataFrame(remaining(where(summed, quantity="distance"), run))
    return pd.concat([summed, medians(grown, keys, "grown".__eq__), ratios], ignore_index=True)


def remaining(medians, run):
    """The median distance over that about a decade of steps before, wherever some run ends."""
    ends = set(last(medians, *run)["step"])
    for key, line in medians.groupby(run, sort=False):
        way = line.set_index("step").sort_index()
        for end in sorted(ends & {*way.index}):
            earlier = before(way.index[way.index <= end].to_numpy())
            if earlier < end:
                names = dict(zip(run, key, strict=True)) | {"step": end, "quantity": "remaining"}
                now = way.loc[end]
                yield names | {"value": now["value"] / way.loc[earlier, "value"], "instances": now["instances"]}
