"""Train W on short inputs, and append new tokens to what it selects until half of the weight is gone."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact

NEW_STREAM = 241001104  # keeps new tokens apart from those drawn with the same seed


def descent(problems, settings, progress):
    steps, longest = settings["steps"], settings["longest"]
    kept = np.unique(np.geomspace(settings["first"], steps, settings["points"]).round().astype(int))
    log = train(problems, LinearHead, "W", exact(settings["learning_rate"]), steps, kept)
    selected, lengths = log.probabilities.argmax(-1), []
    progress.expect(len(problems))
    for s in range(len(problems)):
        lengths.append(half_length(problems[[s]], log.weights[s], selected[s], longest))
        progress(1)
    return {"steps": kept, "weights": log.weights, "selected": selected, "length": np.stack(lengths)}


def half_length(problem, weights: np.ndarray, selected: np.ndarray, longest: int) -> np.ndarray:
    """The length at which half of the weight is gone, (points, n): one and new tokens; longest + 1 at most."""
    n, _, d = problem.tokens.shape[1:]
    new = np.random.default_rng([NEW_STREAM, problem.seeds[0]]).normal(size=(n, longest, d))
    new /= np.linalg.norm(new, axis=-1, keepdims=True)
    toward = problem.queries[0] @ weights.mT
    own = (problem.tokens[0][np.arange(n), selected] * toward).sum(-1)
    lengths = np.empty(own.shape)
    for k, u in enumerate(toward):
        with np.errstate(over="ignore"):
            others = np.exp((new @ u[..., None])[..., 0] - own[k][:, None]).cumsum(-1)
        lengths[k] = np.minimum(2.0 + (others < 1).sum(-1), longest + 1.0)
    return lengths
