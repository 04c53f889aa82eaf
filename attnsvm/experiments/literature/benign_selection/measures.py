"""What is fitted, what new inputs are taken for, and what copies of the training noise are."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import largest, medians
from attnsvm.analysis.probabilities import softmax
from attnsvm.experiments.literature.benign_selection.layer import RELEVANT, classes, with_signals

KEYS = ["run", "size", "multiple", "quantity", "at"]
RUNS = ("published", "longer")
SHARES = ("fitted",)  # what an instance has or has not
STREAM = 24092  # of the new inputs


def measures(cell, problems, trained, solved, settings):
    frames, ends, weak, new = [], [], settings["weak"], settings["new"]
    for r, (size, at) in enumerate(zip(trained["sizes"], trained["at"], strict=True)):
        found = []
        for i, seed in enumerate(problems.seeds):
            stream, weights = np.random.default_rng([STREAM, seed]), (trained["u"][i, r], trained["p"][i, r])
            fresh = on_new(stream, new, cell, *weights, size, weak)
            found.append(fresh | on_training(problems, i, weights[0], size, weak))
        values = {name: np.array([one[name] for one in found]).reshape(-1, len(at)) for name in QUANTITIES}
        values["harm"] = values["error"] - values["error"][:, :1]
        values["seed alike"] = (cell.n / new) * (values["copies"] - values["error"])
        rows = [by_quantity(problems.seeds, at, values)]
        rows.append(by_quantity(problems.seeds, at[-1:], since_fitted(values)))
        run, multiple = RUNS[min(r, 1)], size * np.sqrt(cell.n / cell.d)
        frames.append(pd.concat(rows).assign(run=run, size=float(size), multiple=float(multiple)))
        ever = np.where(values["fitted"].any(1), "fitted", "never fitted")
        ends.append(outcomes(cell, problems.seeds, [f"{run}, {size:g}: {word}" for word in ever]))
    frame = pd.concat(frames).rename(columns={"step": "at"})
    return Measures(frame[[*KEYS, "seed", "value"]].dropna(), pd.concat(ends))


QUANTITIES = ("fitted", "flips fitted", "copies", "copies of flips", "error", "signal")


def on_training(problems, i, us, size, weak) -> dict[str, np.ndarray]:
    """What J vectors W p, (J, k), fit, and their errors on copies of the training noise.

    The first test inputs of the code have the training noise if the seeds are alike, and all the class +1.
    """
    true, noise, head = classes(problems.labels.shape[1]), problems.tokens[i], problems.head[i] / size
    flipped, positive = problems.labels[i] != true, np.ones(len(true))
    right = np.array([correct(with_signals(noise, true, size, weak), u, head, problems.labels[i]) for u in us])
    wrong = ~np.array([correct(with_signals(noise, positive, size, weak), u, head, positive) for u in us])
    return {
        "fitted": right.all(1),
        "flips fitted": right[:, flipped].mean(1),
        "copies": wrong.mean(1),
        "copies of flips": wrong[:, flipped & (true > 0.0)].mean(1),
    }


def correct(tokens, u, head, labels) -> np.ndarray:
    """Which inputs (n, T, k) are classified as their labels say, (n,)."""
    return labels * (softmax(tokens @ u) * (tokens @ head)).sum(-1) > 0.0


def on_new(stream, count, cell, us, ps, size, weak) -> dict[str, np.ndarray]:
    """The error (J,) on `count` new inputs and the mean probability of their relevant token, for J pairs of W p and p.

    Of a new token's noise, a logit sees the two signal coordinates, the span of the training noise, where W p is
    known, and the rest, which W₀ maps to a normal vector of the variance 1/(3d) each. Of normal vectors, products with
    the J vectors suffice: those of J normal numbers with the triangular factor.
    """
    true, k, shape = classes(count), us.shape[-1], (count, cell.T, len(us))
    signals = stream.standard_normal((count, cell.T, 2))
    rest = np.sqrt(stream.chisquare(cell.d - k, (count, cell.T, 1)) / (3.0 * cell.d))
    seen = stream.standard_normal(shape) @ np.linalg.qr(us[:, 2:].T, "r")
    seen += rest * (stream.standard_normal(shape) @ np.linalg.qr(ps.T, "r"))
    placed = with_signals(signals, true, size, weak)
    values = (placed[..., 0] - placed[..., 1]) / (np.sqrt(2.0) * size)
    share = softmax(np.moveaxis(placed @ us[:, :2].T + seen, -1, 0))
    wrong = true * (share * values).sum(-1) <= 0.0
    return {"error": wrong.mean(-1), "signal": share[..., RELEVANT].mean(-1)}


def since_fitted(values) -> dict[str, np.ndarray]:
    """What error and probability of the relevant token have gained since all labels are fitted, (S, 1); NaN: never."""
    fitted = values["fitted"].astype(bool)
    first, ever = fitted.argmax(1)[:, None], fitted.any(1)[:, None]
    names = {"error": "error since", "signal": "signal since"}
    gained = {new: values[q][:, -1:] - np.take_along_axis(values[q], first, 1) for q, new in names.items()}
    return {name: np.where(ever, gain, np.nan) for name, gain in gained.items()}


def table(measures, settings):
    return medians(measures.instances, KEYS, SHARES.__contains__, largest=largest)
