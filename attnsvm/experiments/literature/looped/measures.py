"""How much of the best margin w lacks at a depth, over what the certified multipliers predict, and where it stops."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share

WITHIN, GROWS = 0.03, 1.1  # of the law; over the second half of the loops
BIN = 0.25  # of η over the edge


def measures(cell, problems, trained, solved, settings):
    depths, rates, size = trained["depths"], trained["rates"], np.linalg.norm(trained["w"][:, 0], axis=-1)
    growth, good, frames = size[:, -1:] / size[:, depths == depths[-1] // 2], solved["status"] == "solved", []

    def add(run, seeds, along, **found):
        frames.append(by_quantity(seeds, along, found, run=run).rename(columns={"step": "along"}))

    for status in ("solved", "infeasible"):
        of = solved["status"] == status
        add("first", problems.seeds[of], depths[-1:], **{f"growth, {status}": growth[of]})
    add("first", problems.seeds, depths[-1:], **{"share agreeing": (growth[:, 0] > GROWS) == good})
    examples, W, seeds = problems.tokens[good, :, 0], solved["W"][good], problems.seeds[good]
    p = np.maximum(solved["dual"][good], 0.0)
    p /= p.sum(1, keepdims=True)
    lacks = lacking(examples, trained["w"][good], W)
    law = spread(p)[:, None, None] * (W**2).sum((1, 2))[:, None, None] / np.multiply.outer(rates, depths)
    ratio, to_edge = lacks / law, rates / edge(examples, p)[:, None]
    add("first", seeds, depths, lacking=lacks[:, 0], predicted=law[:, 0], **{"over the law": ratio[:, 0]})
    within, middle = np.abs(ratio[..., -1] - 1.0) <= WITHIN, BIN * (np.floor(to_edge / BIN) + 0.5)
    for run, some in {"below": to_edge < 0.95, "above": to_edge > 1.05}.items():
        add(run, seeds[np.nonzero(some)[0]], depths[-1:], **{"share within": within[some]})
    for x in np.unique(middle):
        add("edge", seeds[np.nonzero(middle == x)[0]], np.array([x]), **{"over the law": ratio[middle == x, -1]})
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, solved["status"]))


def lacking(examples, w, W):
    """One minus the margin of w (S, ..., d) over that of the separator, the first column of W."""
    margin = np.einsum("snd,s...d->s...n", examples, w).min(-1) / np.linalg.norm(w, axis=-1)
    return 1.0 - margin * np.linalg.norm(W, axis=(1, 2)).reshape(-1, *[1] * (margin.ndim - 1))


def spread(p):
    """H − H∞ of probabilities p (S, n), (S,): zero where those above zero are equal."""
    return np.log(p.max(1)) - np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(1)


def edge(examples, p):
    """2/λmax of the covariance of the examples under p, (S,): longer steps of descent swing."""
    centred = examples - p[:, None] @ examples
    return 2.0 / np.linalg.eigvalsh((centred * p[..., None]).mT @ centred)[:, -1]


def table(measures, settings):
    return medians(measures.instances, ["run", "along", "quantity"], named_share)
