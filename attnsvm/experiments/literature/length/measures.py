"""The length at half weight: measured, and as margins, the guarantee and the tail of new tokens predict it."""

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share

POINTS = 20000  # at which the distribution of a cosine is read


def measures(cell, problems, trained, solved, settings):
    tokens, steps, selected = problems.tokens, trained["steps"], trained["selected"]
    toward = problems.queries[:, None] @ trained["weights"].mT
    logits = np.einsum("sntd,sknd->sknt", tokens, toward)
    own = np.take_along_axis(logits, selected[..., None], -1)
    margins = np.where(np.arange(cell.T) == selected[..., None], np.inf, own - logits)
    rest, size = np.exp(-margins).sum(-1), np.linalg.norm(toward, axis=-1)
    measured = trained["length"]
    lengths = {
        "measured": np.where(np.isfinite(measured), measured, 1e6),
        "margins": 1.0 + (cell.T - 1.0) / rest,
        "guarantee": np.broadcast_to(1.0 + np.exp(margins.min((-2, -1)))[..., None], rest.shape),
        "tail": 1.0 + 1.0 / clipped(own[..., 0], size, cell.d),
    }
    means = {name: np.exp(np.log(length).mean(-1)) for name, length in lengths.items()}
    found = means | {f"{name} over measured": means[name] / means["measured"] for name in ("margins", "tail")}
    found |= {
        "share censored": (~np.isfinite(measured)).mean(-1),
        "norm": np.linalg.norm(trained["weights"], axis=(2, 3)),
    }
    return Measures(by_quantity(problems.seeds, steps, found), outcomes(cell, problems.seeds, "measured"))


def clipped(own, size, d: int):
    """E min(1, exp(−m)) over unit Gaussian tokens, m = own − size·cosine, for the logits own and lengths of Wz (...)."""
    cosine = 2.0 * betaincinv((d - 1) / 2, (d - 1) / 2, (np.arange(POINTS) + 0.5) / POINTS) - 1.0
    return np.stack(
        [np.exp(np.minimum(z * cosine - o, 0.0)).mean() for o, z in zip(own.ravel(), size.ravel(), strict=True)]
    ).reshape(own.shape)


def table(measures, settings):
    return medians(measures.instances, ["quantity", "step"])
