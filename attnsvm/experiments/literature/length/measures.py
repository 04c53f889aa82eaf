"""The length at half weight: measured, and as margins, the guarantee and the tail of new tokens predict it."""

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.statistics import mean

POINTS = 20000  # at which the distribution of a cosine is read
WAIT = "wait over bound"  # μN, the number of new tokens over the least mean that it may have


def measures(cell, problems, trained, solved, settings):
    selected, measured, W = trained["selected"][:, None, :, None], trained["length"], trained["weights"]
    toward = problems.queries[:, None] @ W.mT
    logits = np.einsum("sntd,sknd->sknt", problems.tokens, toward)
    own = np.take_along_axis(logits, selected, -1)
    margins = np.where(np.arange(cell.T) == selected, np.inf, own - logits)
    lengths = {
        "measured": measured,
        "margins": 1.0 + (cell.T - 1.0) / np.exp(-margins).sum(-1),
        "guarantee": np.broadcast_to(1.0 + np.exp(margins.min((-2, -1)))[..., None], measured.shape),
        "tail": 1.0 + 1.0 / clipped(own[..., 0], np.linalg.norm(toward, axis=-1), cell.d),
    }
    found = {name: np.exp(np.log(length).mean(-1)) for name, length in lengths.items()}
    found["margins over measured"] = found["margins"] / found["measured"]
    found[WAIT] = ((measured - 1.0) / (lengths["tail"] - 1.0)).mean(-1)
    found["norm"] = np.linalg.norm(W, axis=(2, 3))
    steps, long = trained["steps"], found["measured"]
    decade = int(np.searchsorted(steps, steps[-1] / 10))
    grown = {"growth late": long[:, -1] / long[:, decade], "growth before": long[:, decade] / long[:, 0]}
    rows = (by_quantity(problems.seeds, steps, found), by_quantity(problems.seeds, steps[-1:], grown))
    return Measures(pd.concat(rows), outcomes(cell, problems.seeds, "measured"))


def clipped(own: np.ndarray, size: np.ndarray, d: int) -> np.ndarray:
    """E min(1, exp(−m)), m = own − size·cosine, over unit Gaussian tokens, for logits and lengths of Wz (...)."""
    cosine = 2.0 * betaincinv((d - 1) / 2, (d - 1) / 2, (np.arange(POINTS) + 0.5) / POINTS) - 1.0
    found = [np.exp(np.minimum(z * cosine - o, 0.0)).mean() for o, z in zip(own.flat, size.flat, strict=True)]
    return np.reshape(found, own.shape)


def table(measures, settings):
    return medians(measures.instances, ["quantity", "step"], lambda quantity: quantity == WAIT, of_share=mean)
