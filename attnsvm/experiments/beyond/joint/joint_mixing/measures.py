"""How far W ends from the graded solution, which inputs mix and how far, beside what the solution says of them."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, outcomes
from attnsvm.analysis.mixtures import shares
from attnsvm.analysis.selection import SUPPORT_TOLERANCE
from attnsvm.analysis.statistics import share
from attnsvm.experiments.beyond.joint.joint_mixing.ends import SHARED, choice

MEASURED = "measured"
ORDER = ["kind", "rate", "step", "seed"]


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for rate, run in trained.items():
        made = [choice(problems, W, v) for W, v in zip(*(np.moveaxis(run[name], 1, 0) for name in "Wv"), strict=True)]
        steps = run["steps"].tolist()
        answers = [solved[f"{rate} {step}"] for step in steps]
        good = all_solved(answer[name] for answer in answers for name in ("graded", "shuffled"))
        ends.append(
            outcomes(cell, problems.seeds, [f"rate {rate} {MEASURED if one else 'without SVM'}" for one in good])
        )
        changed = (made[0].p.argmax(-1) != made[1].p.argmax(-1)) & (made[1].p.max(-1) > 1.0 - SHARED)
        for place, step in enumerate(steps):
            distance = {
                name: 1.0 - correlation(run["W"][:, place, -1], answers[place][name]["W"])
                for name in ("graded", "shuffled")
            }
            mixed = (kept(made[place]) > SHARED).any(1)
            rows = {"seed": problems.seeds, **distance, "mixed": mixed, "changed": changed.any(1), "inputs": cell.n}
            frames.append(pd.DataFrame(rows)[good].assign(kind="instance", rate=float(rate), step=step))
        frames.append(of_inputs(problems, made, answers[1], good).assign(kind="input", rate=float(rate), step=steps[1]))
    return Measures(pd.concat(frames), pd.concat(ends))


def kept(made) -> np.ndarray:
    """What each input has of other tokens than that which it prefers, (S, n)."""
    return 1.0 - np.take_along_axis(made.p, made.preferred[..., None], 2)[..., 0]


def of_inputs(problems, made, answer, good) -> pd.DataFrame:
    """A row for every input that mixes, or is said to, after the last step."""
    last, seeds = made[1], np.broadcast_to(problems.seeds[:, None], made[1].lead.shape)
    asked, whole = predicted(last, answer)
    own = kept(last)
    change = np.where(made[0].preferred == last.preferred, np.abs(own - kept(made[0])), np.nan)
    some = good[:, None] & ~((own <= SHARED) & (asked <= SHARED))
    columns = {"share": own, "change": change, "predicted": asked, "without": whole}
    place = np.broadcast_to(np.arange(own.shape[1]), own.shape)
    return pd.DataFrame({"seed": seeds[some], "input": place[some]} | {name: of[some] for name, of in columns.items()})


def predicted(made, answer) -> tuple[np.ndarray, np.ndarray]:
    """What each input keeps of other tokens in the end, (S, n): by κN = κ min N + ρ, and without ρ; 0 if it saturates.

    NaN where no mixture balances.
    """
    rho, dual = answer["rho"][:, None], answer["multipliers"]
    mixes = (made.lead >= rho) & (dual.max(-1) > SUPPORT_TOLERANCE * dual.max((1, 2))[:, None])
    push = np.where(dual > SUPPORT_TOLERANCE * dual.max((1, 2), keepdims=True), dual, 0.0)
    loss = np.take_along_axis(made.score, made.preferred[..., None], 2) - made.score
    found = []
    for total in (made.lead - rho, made.lead):
        each = shares(push, loss, total)
        whole = each.sum(-1)
        sound = ((each >= 0) & (each <= 1)).all(-1) & (whole <= 1)
        found.append(np.where(mixes, np.where(sound, whole, np.nan), 0.0))
    return found[0], found[1]


def table(measures, settings):
    rows = measures.instances
    frames, inputs = [rows.drop(columns="inputs")], rows[rows["kind"] == "input"]
    last = rows[(rows["kind"] == "instance") & (rows["step"] == rows["step"].max())]
    for rate, instances in last.groupby("rate", sort=False):
        own = inputs[inputs["rate"] == rate]
        for quantity, column in (("mix", "share"), ("said to mix", "predicted")):
            hits = np.arange(int(instances["inputs"].sum())) < (own[column] > SHARED).sum()
            some = {"kind": "share", "rate": rate, "step": instances["step"].iloc[0], "quantity": quantity}
            frames.append(pd.DataFrame([some | share(hits)]))
    found = pd.concat(frames, ignore_index=True)
    return found[[*ORDER, *(name for name in found if name not in ORDER)]].astype({"input": "Int64", "seed": "Int64"})
