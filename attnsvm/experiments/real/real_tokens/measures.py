"""How far the trained weights are from the solution of what they select, and from solutions of anything else."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.statistics import median, share
from attnsvm.geometry import BIAS_NORM

SEEN = 1e-10  # singular values of what spans the constraint matrices, relative to the largest
ENDS = ("own", "wrong", "other", "random")


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    basis = visible(problems.tokens, problems.queries)
    for name, run in trained.items():
        answers, norm = solved[name], BIAS_NORM[name]
        saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
        certified = (answers["fro"]["status"] == "solved") & (answers["nuc"]["status"] == "solved")
        kept, W = saturated & certified, run["weights"][:, -1]
        values = {"distance": 1 - correlation(run["weights"], answers[norm]["W"][:, None])}
        others = {"own": norm, "wrong": {"fro": "nuc", "nuc": "fro"}[norm], "other": "other"}
        values |= {end: 1 - alignment(W, answers[key]["W"], basis) for end, key in others.items()}
        random = [answer for key, answer in answers.items() if key.startswith("random")]
        values["random"] = _median([1 - alignment(answer["head"], answer["W"], basis) for answer in random])
        values["rank"] = answers[norm]["rank"]
        values = {quantity: value[kept] for quantity, value in values.items()}
        frames.append(curves(problems.seeds[kept], run["steps"], values, tokens=cell.variant, parametrisation=name))
        words = np.select([~saturated, ~certified], ["not saturated", "without SVM"], "measured")
        ends.append(outcomes(cell, problems.seeds, np.char.add(f"{cell.variant} {name} ", words)))
    return Measures(pd.concat(frames), pd.concat(ends))


def visible(tokens: np.ndarray, queries: np.ndarray) -> list[np.ndarray]:
    """Per instance, orthonormal rows (r, d²) that span its constraint matrices, whatever is selected."""
    found = []
    for X, Z in zip(tokens, queries, strict=True):
        matrices = (X[:, 1:] - X[:, :1])[..., None] * Z[:, None, None, :]
        _, sigma, rows = np.linalg.svd(matrices.reshape(-1, X.shape[-1] * Z.shape[-1]), full_matrices=False)
        found.append(rows[sigma > SEEN * sigma[0]])
    return found


def alignment(A: np.ndarray, B: np.ndarray, basis: list[np.ndarray]) -> np.ndarray:
    """The cosine of A and B (S, d, e), both projected onto what their instance's constraints see; NaN where one is."""
    pairs = [(rows @ a.ravel(), rows @ b.ravel()) for rows, a, b in zip(basis, A, B, strict=True)]
    return np.array([a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) for a, b in pairs])


def _median(values):
    """The median over the draws, (S,); NaN where the selection of a draw is not separable leaves that draw out."""
    values = np.array(values)
    found = np.full(values.shape[1], np.nan)
    some = np.isfinite(values).any(0)
    found[some] = np.nanmedian(values[:, some], axis=0)
    return found


def table(measures, settings):
    rows = []
    frame = measures.instances
    for (tokens, name), run in frame.groupby(["tokens", "parametrisation"], sort=False):
        names = {"tokens": tokens, "parametrisation": name}
        for step, at in run.groupby("step"):
            rows.append({**names, "step": step, "quantity": "distance", **median(at["distance"].dropna())})
        last = run[run["step"] == run["step"].max()]
        where = {**names, "step": last["step"].iloc[0]}
        rows += [{**where, "quantity": end, **median(last[end].dropna())} for end in (*ENDS, "rank")]
        for end in ENDS[1:]:
            compared = last[last[end].notna()]
            if len(compared):
                nearer = share(compared["own"] < compared[end])
                rows.append({**where, "quantity": f"nearer_than_{end}", **nearer})
        counted = measures.outcomes[measures.outcomes["outcome"].str.startswith(f"{tokens} {name} ")]
        # the share of the runs that are saturated and have both solutions
        measured = share(counted["outcome"].str.endswith(" measured"))
        rows.append({**where, "quantity": "measured", **measured})
    return pd.DataFrame(rows)
