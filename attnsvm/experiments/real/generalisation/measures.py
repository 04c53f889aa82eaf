"""How often the planted token is selected, on training and on new inputs, by descent on its way and by the SVMs."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.statistics import mean, share
from attnsvm.experiments.real.generalisation.problems import flipped, inputs, logits, wanted

TIE = 1e-9  # relative: rounding leaves 1e-15 between tokens that W cannot tell apart, and what it can is far above
KEYS = ["variant", "n", "by", "quantity"]


def measures(cell, problems, trained, solved, settings):
    new = inputs(cell, problems.seeds, settings["held_out"], new=True)
    flips = flipped(cell, problems.seeds, settings["flipped"])
    runs = {"W": (trained["steps"], trained["weights"], np.ones(len(problems), dtype=bool))} if trained else {}
    for norm, answers in solved.items():
        runs[norm] = np.array([0]), answers["W"][:, None], answers["status"] == "solved"
    frames = []
    for by, (steps, W, kept) in runs.items():
        found = _accuracies(problems[kept], new[kept], flips[kept], W[kept])
        frames.append(by_quantity(problems.seeds[kept], steps, found, variant=cell.variant, n=cell.n, by=by))
    blind = {"variant": cell.variant, "n": cell.n, "by": "chance", "quantity": "held_out"}
    frames.append(curves(problems.seeds, np.array([0]), {"value": np.full((len(problems), 1), 1 / cell.T)}, **blind))
    frame = pd.concat(frames)
    status = np.char.add(f"{cell.variant} ", solved["fro"]["status"])
    if "nuc" in solved:  # one that only the nuclear norm has no answer for leaves its curve by name
        other = solved["nuc"]["status"]
        odd = (other != solved["fro"]["status"]).nonzero()[0]
        named = [f"{cell.variant} (nuclear {other[k]}) {solved['fro']['status'][k]}" for k in odd]
        status = status.astype(object)
        status[odd] = named
    return Measures(frame[frame["value"].notna()], outcomes(cell, problems.seeds, status))


def _accuracies(problems, new, flips, W):
    """Shares (S, L) of inputs that select what they should: new ones by the rule, training ones by their label."""
    right = _selects(problems, W)
    count = flips.sum(1)[:, None]
    among = np.divide((right & flips[:, None]).sum(-1), count, out=np.full(right.shape[:2], np.nan), where=count > 0)
    return {"held_out": _selects(new, W).mean(-1), "train": right.mean(-1), "flips": among}


def _selects(problems, W):
    """Whether each input selects what it should, (S, L, n): that token wins, and a draw is no win."""
    score = logits(problems, W)
    place = wanted(problems)[:, None, :, None]
    own = np.take_along_axis(score, place, 3)
    rest = np.where(np.arange(score.shape[3]) == place, -np.inf, score).max(3)
    return own[..., 0] - rest > TIE * np.abs(score).max(3)


def table(measures, settings):
    frame, rows = measures.instances, []
    for key, found in frame.groupby([*KEYS, "step"], sort=False):
        rows.append(dict(zip([*KEYS, "step"], key, strict=True)) | mean(found["value"]))
    ends = measures.outcomes.assign(variant=measures.outcomes["outcome"].str.split(" ").str[0])
    for variant, of_variant in ends.groupby("variant", sort=False):
        fitted = None
        for n, found in of_variant.groupby("n"):
            separable = share(found["outcome"].str.endswith(" solved"))
            row = {"variant": variant, "n": n, "by": "fro", "quantity": "separable", "step": 0, **separable}
            rows.append(row)
            fitted = row if separable["value"] >= settings["fitted"] else fitted
        if fitted:
            rows.append({**fitted, "quantity": "fitted"})
    held_out = frame[frame["quantity"] == "held_out"]
    # Differences are taken instance by instance.
    for (variant, n), found in held_out.groupby(["variant", "n"], sort=False):
        names = {"variant": variant, "n": n, "step": 0}
        wide = found[found["by"] != "W"].pivot(index="seed", columns="by", values="value")
        if "nuc" in wide:
            rows.append({**names, "by": "nuc", "quantity": "lead", **mean((wide["nuc"] - wide["fro"]).dropna())})
        way = found[found["by"] == "W"].pivot(index="seed", columns="step", values="value")
        if len(way):
            early = way.columns[way.columns >= settings["early"]].min()
            rows.append({**names, "by": "W", "quantity": "early", **mean(way[early] - way[way.columns.max()])})
        tokens, labels = variant.split("_")
        if labels == "flipped":
            same = held_out[(held_out["variant"] == f"{tokens}_clean") & (held_out["n"] == n)]
            for by in ("fro", "W"):
                drop = (_last(same, by) - _last(found, by)).dropna()
                rows.append({**names, "by": by, "quantity": "drop", **mean(drop)})
    return pd.DataFrame(rows)


def _last(rows, by):
    """The values by seed after the last step."""
    rows = rows[rows["by"] == by]
    return rows[rows["step"] == rows["step"].max()].set_index("seed")["value"]
