"""Accuracy, selection and coding rates along training, on held-out inputs; and the alignments."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.stacked import certain
from attnsvm.analysis.statistics import mean
from attnsvm.experiments.summaries.rate_reduction.layers import LAYERS, attended, coding_rate, read_out

TOKEN_STREAM = 51411


def measures(cell, problems, trained, solved, settings):
    half, steps = problems.tokens.shape[1] // 2, trained["steps"]
    tokens, queries = problems.tokens[:, half:], problems.queries[:, half:]
    labels, eps = problems.labels[:, half:], settings["eps"]
    draws = [np.random.default_rng([TOKEN_STREAM, seed]) for seed in problems.seeds.tolist()]
    chance = np.stack([draw.integers(tokens.shape[2], size=tokens.shape[1]) for draw in draws])
    frames, ends, nulls = [], [], []
    for kind in LAYERS:
        log, answers = trained["layers"][kind], solved[kind]
        found = [
            _at({name: x[:, k] for name, x in log.items()}, kind, tokens, queries, labels, chance, trained["ista"], eps)
            for k in range(len(steps))
        ]
        values = {name: np.stack([one[name] for one in found], 1) for name in found[0]}
        frames.append(by_quantity(problems.seeds, steps, values, layer=kind))
        last = {}
        for name, part in answers.items():
            good = (part["proof"]["status"] == "solved").reshape(part["alignment"].shape)
            for quantity in ("alignment", "predicted"):
                # The mean over heads and draws: a seed is one instance.
                last[f"{quantity}_{name}"] = np.where(good, part[quantity], np.nan).mean((1, 2))
            if name != "own":
                pick = selected(tokens, queries, part["heads"])
                last[f"rate_{name}"] = coding_rate(taken(tokens[:, None, None], pick), eps).mean((1, 2))
                last[f"alignment_over_{name}"] = last["alignment_own"] - last[f"alignment_{name}"]
                last[f"rate_over_{name}"] = values["rate_selected"][:, -1] - last[f"rate_{name}"]
        frames.append(by_quantity(problems.seeds, steps[-1:], last, layer=kind))
        for name, part in answers.items():
            every = certain(part["proof"], len(problems))
            (ends if name == "own" else nulls).append(every)
    lead = [frame[(frame["quantity"] == "accuracy") & (frame["step"] == steps[-1])] for frame in frames[::2]]
    difference = lead[1]["value"].to_numpy() - lead[0]["value"].to_numpy()
    frames.append(by_quantity(problems.seeds, steps[-1:], {"accuracy_over_plain": difference}, layer=LAYERS[1]))
    certified = np.where(np.all(nulls, axis=0), "measured", "measured, a random head without SVM left out")
    certified = np.where(np.all(ends, axis=0), certified, "without SVM")
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, certified))


def _at(layer, kind, tokens, queries, labels, chance, ista, eps) -> dict:
    """Numbers (S,) of a layer at one step; of heads, their mean."""
    z, p = attended(kind, layer, tokens, queries[:, :, None])
    after, _ = attended(kind, layer, tokens, tokens)
    f = read_out(kind, layer, z[:, :, 0], ista["ista_step"], ista["sparsity"])
    pick = p[:, :, :, 0].argmax(-1)  # (S, H, n)
    found = {"accuracy": (f * labels > 0).mean(1), "peak": p[:, :, :, 0].max(-1).mean((1, 2))}
    for name, Z in (("", tokens), ("after_", after)):
        found[f"rate_{name}selected"] = coding_rate(taken(Z[:, None], pick), eps).mean(1)
        found[f"rate_{name}chance"] = coding_rate(taken(Z, chance), eps)
        found[f"rate_{name}others"] = coding_rate(left_out(Z, pick), eps).mean(1)
        found[f"rate_{name}all"] = coding_rate(Z.reshape(len(Z), -1, Z.shape[-1]), eps)
    found["rate_change"] = found["rate_after_all"] - found["rate_all"]
    found["rate_over_chance"] = found["rate_selected"] - found["rate_chance"]
    return found


def selected(tokens, queries, heads) -> np.ndarray:
    """The token of largest score, (S, H, k, n), for heads (S, H, k, d, d)."""
    along = queries[:, None, None] @ heads.swapaxes(-1, -2)
    return np.einsum("sntd,shknd->shknt", tokens, along).argmax(-1)


def taken(Z, pick) -> np.ndarray:
    """One token of every input, (..., n, d), for Z (..., n, T, d) and the token numbers (..., n)."""
    return np.take_along_axis(Z, pick[..., None, None], -2)[..., 0, :]


def left_out(Z, pick) -> np.ndarray:
    """The other tokens of all inputs in one row, (S, H, n·(T − 1), d), for Z (S, n, T, d) and pick (S, H, n)."""
    S, n, T, d = Z.shape
    others = np.arange(T) != pick[..., None]
    rows = [Z[s][others[s, h]] for s in range(S) for h in range(pick.shape[1])]
    return np.stack(rows).reshape(S, pick.shape[1], n * (T - 1), d)


def table(measures, settings):
    known = measures.instances.dropna(subset="value")
    return medians(known, ["layer", "quantity", "step"], of_value=mean)
