"""The growth of the largest logit and of the smallest margin per step, over what the certified solution predicts."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import largest_logit, smallest_margin
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share
from attnsvm.analysis.pace import pace
from attnsvm.analysis.selection import by_token
from attnsvm.analysis.statistics import share
from attnsvm.experiments.literature.max_logit.runs import BETA1, EDGE, RUNS

NEAR = 0.05  # of the slope
SIDES = {"below the edge": (0.0, 0.9), "beyond the edge": (1.1, np.inf)}  # η over the edge, from and to


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in (RUNS | EDGE).items():
        steps, solution = trained[name]["steps"], solved[run.norm]
        place, answer = solution["place"][name], solution["solutions"][run.norm]
        good = answer["status"][place] == "solved"
        known, W, place = problems[good], trained[name]["weights"][good], place[good]
        power, best = (0.5 if run.factors else 1.0), answer["W"][place]
        signs = run.rate / geometry.get(run.norm).value(best) ** power
        rate = pace(signs, BETA1, run.beta2) if run.beta2 else signs
        predicted = rate * largest_logit(known, best) ** power
        margin = smallest_margin(known.tokens, known.queries, W, solution["selected"][place])
        grown = growth(largest_logit(known, W), steps, power)
        found = {"slope": grown / predicted[:, None], "margin": growth(margin, steps, power) / rate[:, None]}
        end, slope = grown[:, -1:], found["slope"][:, -1:]
        last = {"error": np.abs(slope - 1.0), "constant": end}
        last["share near"] = last["error"] <= NEAR
        last |= {"over signs": slope * (rate / signs)[:, None]} if run.beta2 else {}
        if run.norm == "fro":
            selected = solution["selected"][place]
            dual = by_token(answer["dual"][place], selected, cell.T)
            beside = run.rate / edge(known, selected, dual, best)
            rows = by_quantity(known.seeds, steps[-1:], {"edge": slope}, run=name)
            frames.append(rows.assign(beside=beside))
        if name in RUNS:
            parts = (steps[1:], found), (steps[-1:], last)
            frames += [by_quantity(known.seeds, at, of, run=name) for at, of in parts]
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames), pd.concat(ends))


def growth(value: np.ndarray, steps: np.ndarray, power: float) -> np.ndarray:
    """Growth of value^power per step since the logged step before, (S, L − 1)."""
    return np.diff(np.maximum(value, 0.0) ** power) / np.diff(steps)


def edge(problems, selected: np.ndarray, dual: np.ndarray, solution: np.ndarray) -> np.ndarray:
    """2γ/λmax, (S,): the longest step of normalised descent that does not overshoot.

    γ is the margin at norm one; λmax the largest eigenvalue of the covariance of the constraints (x_α − x_t)zᵀ under
    the multipliers as probabilities, which are their shares of the loss.

    Args:
        selected: (S, n); dual: (S, n, T), the multipliers; solution: (S, d, d), of least margin one.
    """
    p = dual / dual.sum((1, 2), keepdims=True)
    own = np.take_along_axis(problems.tokens, selected[..., None, None], 2)
    A = np.einsum("sntd,sne->sntde", own - problems.tokens, problems.queries).reshape(*p[:, 0, 0].shape, p[0].size, -1)
    p = p.reshape(len(p), -1)
    A = np.sqrt(p)[..., None] * (A - (p[..., None] * A).sum(1, keepdims=True))
    return 2.0 / np.linalg.norm(solution, axis=(1, 2)) / np.linalg.norm(A, 2, axis=(1, 2)) ** 2


def of_sides(each: pd.DataFrame) -> pd.DataFrame:
    """Of either side of the edge, how many instances are near the prediction: below it by all of their rates on this
    side, beyond it by any."""
    rows = []
    for (name, (low, high)), all_or_any in zip(SIDES.items(), ("all", "any"), strict=True):
        some = each[(each["beside"] > low) & (each["beside"] < high)]
        if len(some):
            near = ((some["value"] - 1.0).abs() <= NEAR).groupby(some["seed"]).agg(all_or_any)
            rows.append({"run": name, "step": some["step"].max(), "quantity": "share near"} | share(near))
    return pd.DataFrame(rows)


def table(measures, settings):
    keys, single = ["run", "step", "quantity"], measures.instances["quantity"] == "edge"
    rows, each = measures.instances[~single], measures.instances[single]
    all_together = rows.groupby(keys)["value"].transform("median")
    error = np.abs(rows["value"] / all_together - 1.0)  # of the one slope that fits all
    rows = rows.assign(value=rows["value"].where(rows["quantity"] != "constant", error))
    found = pd.concat([medians(rows, keys, named_share), of_sides(each), each], ignore_index=True)
    return found.astype({"seed": "Int64", "instances": "Int64"})
