"""How every row of the layer below ends, the balance at each of its level tokens, and how far both layers are."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, outcomes
from attnsvm.analysis.stacked import norms, saturated
from attnsvm.analysis.statistics import mean_share, middle_half, share
from attnsvm.experiments.beyond.layers.row_ends.classes import ENDS, FREE, OPEN, SETTLED, Terms, terms
from attnsvm.experiments.beyond.layers.row_ends.ends import APART, TWO, inside, rows_at, with_ties
from attnsvm.experiments.beyond.layers.row_ends.forces import forces

ORDER = ["kind", "quantity", "end", "step", "seed", "input", "row", "token"]
TERM, INSTANCE, TIME = "term", "instance", "time"


def measures(cell, problems, trained, solved, settings):
    ends, last = inside(problems, trained), rows_at(problems, trained, TWO, -1)
    ends = with_ties(problems, trained, ends, solved["first"]["2"]["W"])
    found = terms(problems, trained["weights"][:, -1], last, ends, solved["inside"])
    good = all_solved(answer for layers in solved.values() for answer in layers.values())
    kept = good & saturated(trained["top"])
    words = np.select([~good, ~kept], ["without SVM", "not saturated"], "measured")
    frames = [
        of_instances(problems, trained, solved, ends, found, kept),
        *of_terms(problems, trained, ends, found, kept),
    ]
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, words))


def of_instances(problems, trained, solved, ends, found: Terms, kept):
    """A row for each: distances, how many rows end in each way, and whether a mixture keeps more than half outside."""
    W, step = trained["weights"][:, -1, :, 0], trained["steps"][-1]
    far = {
        rule: np.max([1.0 - correlation(W[:, int(k) - 1], one["W"]) for k, one in layers.items()], axis=0)
        for rule, layers in solved.items()
        if rule != "first"
    }
    far["equal"] = 1.0 - correlation(W[:, 0], solved["inside"]["1"]["W"])
    counted = of_rows(found, ends)
    s = found.place[:, 0]
    whole = np.zeros(ends.counts[:, 0].shape)
    np.add.at(whole, tuple(found.place[:, :3].T), np.nan_to_num(found.predicted))
    columns = {"seed": problems.seeds, **far, **counted, "outside": (whole > 0.5).any((1, 2))}
    columns["rows"] = (~ends.counts[:, 0]).sum((1, 2))
    columns["copies"] = np.bincount(s[found.copied], minlength=len(problems)) > 0
    return pd.DataFrame(columns)[kept].assign(kind=INSTANCE, step=step)


def of_rows(found: Terms, ends) -> dict[str, np.ndarray]:
    """How many rows of each instance end in each way, (S,) each: by the last of `ENDS` that one of its tokens has."""
    rank = np.zeros(ends.counts[:, 0].shape, dtype=int)
    order = SETTLED, *ENDS
    np.maximum.at(rank, tuple(found.place[:, :3].T), [order.index(end) for end in found.end])
    some = ~ends.counts[:, 0]
    return {end: ((rank == k) & some).sum((1, 2)) for k, end in enumerate(order)}


def of_terms(problems, trained, ends, found: Terms, kept):
    """A row for each level token: its share, now and at half of ‖W‖, and what the law says; and its way to there."""
    s, i, j, t = found.place.T
    length, steps = norms(trained["weights"]), trained["steps"]
    rows = [rows_at(problems, trained, TWO, k) for k in range(len(steps))]
    each = [forces(problems, trained["weights"][:, k], one, ends, found.place) for k, one in enumerate(rows)]
    p, pull = (np.stack(part, axis=1) for part in zip(*each, strict=True))
    half = max(int(np.searchsorted(steps, steps[-1] / APART, side="right")) - 1, 0)
    columns = {
        "seed": problems.seeds[s], "input": i, "row": j, "token": t, "end": found.end, "copied": found.copied,
        "share": p[:, -1], "before": p[:, half], "force": pull[:, -1], "earlier": pull[:, half], "law": found.law,
        "predicted": found.predicted, "beta": found.beta,
    }  # fmt: skip
    term = pd.DataFrame(columns)[kept[s]].assign(kind=TERM, step=steps[-1])
    way = {"end": np.repeat(found.end, len(steps)), "step": np.tile(steps, len(s)), "share": p.ravel()}
    way |= {"norm": length[s].ravel(), "seed": np.repeat(problems.seeds[s], len(steps))}
    return term, pd.DataFrame(way)[np.repeat(kept[s], len(steps))].assign(kind=TIME)


def table(measures, settings):
    rows = measures.instances
    instances, single, way = (rows[rows["kind"] == kind].dropna(axis=1, how="all") for kind in (INSTANCE, TERM, TIME))
    frames = [of_shares(instances), of_balance(single), in_time(way), instances, single]
    found = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    whole = dict.fromkeys(("seed", "input", "row", "token", "rows", SETTLED, *ENDS), "Int64")
    return found[[*ORDER, *(name for name in found if name not in ORDER)]].astype(whole)


def of_shares(instances):
    """Of every end: its share of the rows that do not count, and the share of instances with such a row."""
    some = []
    for end in (SETTLED, *ENDS):
        own = {"kind": "share", "end": end, "step": instances["step"].iloc[0]} if len(instances) else {}
        if own:
            each = instances[end] / instances["rows"]
            some += [own | {"quantity": "of rows"} | mean_share(each.to_numpy(dtype=float))]
            some += [own | {"quantity": "of instances"} | share(instances[end] > 0)]
    return pd.DataFrame(some)


def of_balance(single):
    """Of every end: both sides of its law, at the last step and at half of ‖W‖, medians with quartiles."""
    found = []
    for end, own in single[~single["end"].isin((SETTLED, OPEN))].groupby("end", sort=False) if len(single) else ():
        pairs = {"off": ("share", "before")} if end == FREE else {"ratio": ("force", "earlier")}
        for quantity, names in pairs.items():
            for name, when in zip(names, ("", ", at half"), strict=True):
                law = own["predicted"] if end == FREE else own["law"]
                values = (own[name] - law).abs() if end == FREE else own[name] / law
                some = {"kind": "law", "quantity": quantity + when, "end": end, "step": own["step"].iloc[0]}
                found.append(some | middle_half(values.to_numpy(dtype=float)))
    return pd.DataFrame(found)


def in_time(way):
    """Of every end the probability of its tokens, medians with quartiles, and the median ‖W‖."""
    found = []
    for (end, step), own in way.groupby(["end", "step"], sort=False) if len(way) else ():
        some = {"kind": TIME, "quantity": "share", "end": end, "step": step, "norm": own["norm"].median()}
        found.append(some | middle_half(own["share"].to_numpy(dtype=float)))
    return pd.DataFrame(found)
