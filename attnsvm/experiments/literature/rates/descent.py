"""Train W by plain, normalised and Polyak steps, and by normalised steps from starts of several sizes."""

from dataclasses import replace

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, scores
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact, plain
from attnsvm.training.softmax import derivative, softmax
from attnsvm.training.start import draw_initial, normal


def descent(problems, settings, progress):
    d = problems.tokens.shape[-1]
    unit = draw_initial("rates", problems.seeds, normal((d, d))) / d
    sizes = np.array(settings["starts"])
    progress.expect((2 * len(sizes) + 3) * len(problems))
    steps, rate = settings["steps"], settings["learning_rate"]
    as_they_come = replace(problems, head=draw_initial("rates, head", problems.seeds, normal((d,))))
    ends = {"equal": problems, "different": as_they_come}
    won = {
        name: ends_optimal(some, sizes, unit, exact(rate), settings["end_steps"], progress)
        for name, some in ends.items()
    }
    kept, fewer = (logarithmic_steps(count, settings["points"]) for count in (steps, settings["polyak_steps"]))
    runs = {}
    for name, rule in {"normalised": exact(rate), "plain": plain(settings["plain_rate"])}.items():
        log = train(problems, LinearHead, "W", rule, steps, kept, unit, progress=progress)
        runs[name] = {"steps": kept, "weights": log.weights}
    runs["Polyak"] = {"steps": fewer, "weights": polyak(problems, unit, fewer)}
    progress(len(problems))
    return {"sizes": sizes, "optimal": won, "runs": runs}


def ends_optimal(problems, sizes, unit, rule, steps, progress) -> np.ndarray:
    """Whether a run from a start of each size ends on the optimal token of every input, (S, sizes) bool."""
    optimal, found = optimal_tokens(problems.tokens, problems.head, problems.labels), []
    for size in sizes:
        log = train(problems, LinearHead, "W", rule, steps, np.array([steps]), size * unit, progress=progress)
        found.append((log.probabilities.argmax(-1) == optimal).all(-1))
    return np.stack(found, 1)


def polyak(problems, W: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """W ← W − (L − L*)/‖∇L‖² ∇L, at the steps kept: (S, K, d, d). L*: all weight on the best token of each input."""
    found = []
    for step in range(kept[-1] + 1):
        if step in kept:
            found.append(W)
        slope = excess_slope(problems, W)
        W = W - slope / (slope**2).sum((1, 2), keepdims=True)
    return np.stack(found, 1)


def excess_slope(problems, W: np.ndarray) -> np.ndarray:
    """∇ log(L − L*) = ∇L/(L − L*), (S, d, d): both vanish as one exponential, and their ratio does not underflow."""
    score = scores(problems.tokens, problems.head, problems.labels)
    at = softmax((problems.tokens @ (problems.queries @ W.swapaxes(1, 2))[..., None])[..., 0])
    best = score.max(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        missing = np.logaddexp.reduce(at.log + np.log(best - score), axis=-1)[..., None]  # log of what f lacks
    grown = np.expm1(np.exp(missing)) / (1.0 + np.exp(best))
    # L_i − L*_i = log(1 + σ(−best)·(exp(lack) − 1)): relative to the lack where that underflows.
    tiny = missing < -25.0
    logs = np.where(tiny, missing - np.log1p(np.exp(best)), np.log(np.log1p(np.where(tiny, 1.0, grown))))
    total = np.logaddexp.reduce(logs, axis=1)[:, None]
    direction, factor = derivative(at, score)
    output = best - np.exp(missing)
    mixed = -np.exp(factor - total) * direction / (1.0 + np.exp(output))
    return (mixed[:, :, None] @ problems.tokens)[:, :, 0].swapaxes(1, 2) @ problems.queries
