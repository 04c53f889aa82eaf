"""Train W on short inputs, and append new tokens to what it selects until half of the weight is gone."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.rules.gradient_descent import exact

NEW_STREAM = 241001104  # keeps new tokens apart from those drawn with the same seed


def descent(problems, settings, progress):
    steps, longest = settings["steps"], settings["longest"]
    kept = np.unique(np.geomspace(settings["first"], steps, settings["points"]).round().astype(int))
    log = train(problems, LinearHead, "W", exact(settings["learning_rate"]), steps, kept)
    selected = log.probabilities.argmax(-1)
    progress.expect(len(problems))
    found = []
    for s, seed in enumerate(problems.seeds.tolist()):
        found.append(half_length(problems[s : s + 1], log.weights[s], selected[s], longest, seed))
        progress(1)
    return {"steps": kept, "weights": log.weights, "selected": selected, "length": np.stack(found)}


def half_length(problem, weights: np.ndarray, selected: np.ndarray, longest: int, seed: int) -> np.ndarray:
    """1 + the number of new tokens at which the selected token has half of its weight, (points, n); infinite: not yet."""
    n, T, d = problem.tokens.shape[1:]
    new = np.random.default_rng([NEW_STREAM, seed]).normal(size=(n, longest, d))
    new /= np.linalg.norm(new, axis=-1, keepdims=True)
    toward = problem.queries[0] @ weights.mT
    own = (problem.tokens[0][np.arange(n), selected] * toward).sum(-1)
    lengths = np.empty(own.shape)
    for k, u in enumerate(toward):
        with np.errstate(over="ignore"):
            others = np.exp((new @ u[..., None])[..., 0] - own[k][:, None]).cumsum(-1)
        lengths[k] = np.where(others[:, -1] >= 1, 2.0 + (others < 1).sum(-1), np.inf)
    return lengths
