"""Where rows without a trigger look, how well new sequences are answered, and how near the path is to the solutions."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.sinks.layer import (
    FIXED,
    PUBLISHED,
    SHUFFLED,
    attend,
    loss_and_gradients,
    sequences,
    targets,
    triggers,
)

KEYS = ["first", "model", "quantity", "at"]
SHARES = ("solved", "refuted")  # what an instance has or has not
STREAM = 11489  # of the new sequences
AT_REST = 1e-6  # of a slope relative to that of the penalty: Newton steps end below 1e-7


def measures(cell, problems, trained, solved, settings):
    seeds, frames = problems.seeds, []
    drawn = [np.random.default_rng([STREAM, seed]) for seed in seeds]
    size = settings["new"], cell.T, cell.d, cell.variant == SHUFFLED
    new = np.array([sequences(stream, *size, settings["noise"]) for stream in drawn]).reshape(len(seeds), *size[:3])

    def add(at, found, model):
        frames.append(by_quantity(seeds, at, found, first=cell.variant, model=model))

    for name, of in trained["adam"].items():
        found = answered(new, name, of["W"], of["V"]) | ({"steps": of["steps"]} if "steps" in of else {})
        add(np.zeros(1), {q: v[:, None] for q, v in found.items()}, name)
    if cell.variant == PUBLISHED:
        return Measures(_kept(frames), outcomes(cell, seeds, "trained as published"))
    status = words = solved["whole"]["status"]
    add(np.zeros(1), {"solved": (status == "solved")[:, None], "refuted": (status == "infeasible")[:, None]}, "SVM")
    if cell.variant == FIXED:
        W, best, levels = trained["path"], solved["whole"]["W"], trained["decays"]
        add(np.zeros(1), {"squared norm": (best**2).sum((1, 2))[:, None]}, "SVM")
        distances = {name: 1.0 - correlation(W, solved[name]["W"][:, None]) for name in ("whole", "rest")}
        left = slopes(problems, W, levels)
        add(levels, distances | {"norm": np.linalg.norm(W, axis=(2, 3)), "slope": left}, "path")
        rest = solved["rest"]["status"]
        reasons = np.char.add("rows without a trigger: ", rest), "path not at rest"
        words = np.select([rest != "solved", left.max(1) > AT_REST], reasons, status)
    return Measures(_kept(frames), outcomes(cell, seeds, words))


def _kept(frames) -> pd.DataFrame:
    frame = pd.concat(frames).rename(columns={"step": "at"})
    return frame[[*KEYS, "seed", "value"]].dropna()


def slopes(problems, W, levels) -> np.ndarray:
    """The size of the gradient of loss + ½λ‖W‖² relative to λ‖W‖, (S, K), of W (S, K, d, d)."""
    found, x = [], problems.tokens
    for k, decay in enumerate(levels):
        _, slope, _ = loss_and_gradients(x, targets(x), W[:, k], problems.head, "softmax")
        found.append(np.linalg.norm(slope + decay * W[:, k], axis=(1, 2)))
    return np.stack(found, 1) / (levels * np.linalg.norm(W, axis=(2, 3)))


def answered(x, attention, W, V) -> dict[str, np.ndarray]:
    """The error on sequences (S, n, T, d), relative to answering zero, and the mean weight of rows without a trigger;
    (S,) each."""
    y, weights, none = targets(x), attend(x, W, attention), ~triggers(x)
    none[..., 0] = False
    said = weights @ (x @ V.mT[:, None])
    error = ((said - y)[..., 1:, :] ** 2).sum((1, 2, 3)) / (y**2).sum((1, 2, 3))
    count = none.sum((1, 2))
    first = (weights[..., 0] * none).sum((1, 2)) / count
    return {"error": error, "first": first, "others": (weights[..., 1:].sum(-1) * none).sum((1, 2)) / count}


def table(measures, settings):
    return medians(measures.instances, KEYS, SHARES.__contains__)
