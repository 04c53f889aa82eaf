"""Alignment of the heads and of null heads, accuracy and rank: per instance, then medians."""

from itertools import pairwise

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.statistics import median
from attnsvm.experiments.real.ladder.rungs import DECAYING, RUNGS, WHEN

KEYS = ["part", "name", "decay", "when", "quantity"]
NO_DECAY = np.nan  # of the rungs, in the column `decay`


@gathered
def measures(cell, problems, trained, solved, settings):
    for name in RUNGS:
        for when in WHEN:
            runs, answers = trained["rungs"][name][when], solved["rungs"][name][when]
            values = quantities(runs, answers)
            yield tidy("rungs", name, NO_DECAY, when, problems.seeds, values)
            yield became(cell, problems.seeds, answers, f"{name}, {when}")
    decays, S = trained["each"]["decay"].tolist(), len(problems)
    for name in DECAYING:
        runs, answers = trained["decays"][name]["end"], solved["decays"][name]
        values = quantities(runs, answers)
        for k, decay in enumerate(decays):
            own = slice(k * S, (k + 1) * S)
            part = {quantity: value[own] for quantity, value in values.items()}
            yield tidy("decays", name, decay, "end", problems.seeds, part)
            yield became(cell, problems.seeds, answers, f"decay {decay} of {name}", own)


def quantities(runs, answers):
    """Values per run, (R,) by name."""
    found = {name: runs[name] for name in ("train", "held_out", "saturated")} | ranks(runs["W"])
    for norm, answer in answers.items():
        null = answer["null_alignment"].mean(1)
        found |= {f"alignment_{norm}": answer["alignment"], f"null_{norm}": null}
        found[f"gain_{norm}"] = answer["alignment"] - null
    return found


def ranks(W):
    """The stable rank ‖W‖_F²/‖W‖² and the effective one, exp of the entropy of σ/Σσ (Roy and Vetterli 2007)."""
    sigma = np.linalg.svd(W, compute_uv=False)
    share = sigma / sigma.sum(-1, keepdims=True)
    entropy = -(share * np.log(np.maximum(share, np.finfo(float).tiny))).sum(-1)
    return {"stable_rank": (sigma**2).sum(-1) / sigma[..., 0] ** 2, "effective_rank": np.exp(entropy)}


def tidy(part, name, decay, when, seeds, values):
    """One row per seed and quantity."""
    columns = {"part": part, "name": name, "decay": decay, "when": when}
    rows = [columns | {"quantity": quantity, "seed": seeds, "value": value} for quantity, value in values.items()]
    return pd.concat([pd.DataFrame(row) for row in rows])


def became(cell, seeds, answers, where, rows=slice(None)):
    """Measured, or the proof that is missing: an instance whose selection has no certified solution is named."""
    good = np.logical_and.reduce([np.isfinite(answer["alignment"][rows]) for answer in answers.values()])
    return outcomes(cell, seeds, np.where(good, f"measured ({where})", f"no certified solution ({where})"))


def table(measures, settings):
    values = measures.instances
    rows = [row(keys, group["value"]) for keys, group in values.groupby(KEYS, sort=False, dropna=False)]
    return pd.DataFrame(rows + list(changes(values)))


def changes(values):
    """Per instance: the alignment of a rung less that of the rung before, each in the norm of its parametrisation;
    and what a decay makes of the layer without decay: alignment, and the ratio of effective ranks.
    """
    rungs = values[(values["part"] == "rungs") & (values["when"] == "end")]
    wide = rungs.pivot(index="seed", columns=["name", "quantity"], values="value")
    for before, name in pairwise(RUNGS):
        own, other = (wide[one, f"alignment_{RUNGS[one].norm}"] for one in (name, before))
        yield row(("rungs", name, NO_DECAY, "end", "change_alignment"), own - other)
    decays = values[values["part"] == "decays"]
    wide = decays.pivot(index="seed", columns=["name", "quantity", "decay"], values="value").sort_index(axis=1)
    for name, rung in DECAYING.items():
        for decay in sorted(set(decays["decay"]) - {0.0}):
            both = wide[name, f"alignment_{rung.norm}"]
            yield row(("decays", name, decay, "end", "change_alignment"), both[decay] - both[0.0])
            both = wide[name, "effective_rank"]
            yield row(("decays", name, decay, "end", "rank_ratio"), both[decay] / both[0.0])


def row(keys, values):
    """A median with its interval over the instances that have the value."""
    return dict(zip(KEYS, keys, strict=True)) | median(values.dropna().to_numpy())
