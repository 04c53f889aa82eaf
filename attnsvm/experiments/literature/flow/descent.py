"""Train (K, Q) from random and from aligned starts by three steps, W as one matrix, and diagonal factors."""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.experiments.literature.flow.diagonal import flow, probabilities
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.optimisers.schedule import schedule
from attnsvm.training.start import draw_initial, factored_weights, normal

KEPT = ("weights", "probabilities")
RANK = 1e-3  # of the largest singular value: smaller ones are zero
FAINT = 0.01  # what an aligned start has in other directions


def descent(problems, settings, progress):
    d, steps = problems.tokens.shape[-1], settings["steps"]
    kept = logarithmic_steps(steps, settings["points"])
    rate, short = settings["learning_rate"], settings["flow_rate"]
    rules = {"flow": schedule(joint(exact(short)), "shrinking"), "joint": joint(exact(rate)), "published": exact(rate)}
    answer = certified(problems, optimal_tokens(problems.tokens, problems.head, problems.labels), "nuc")
    K, Q = factored_weights(problems.seeds, d, "uniform")
    starts = {"random": (K, Q), "aligned": aligned(answer, K, Q)}
    progress.expect((len(rules) * len(starts) + 3) * len(problems))
    runs = {}
    for name, start in starts.items():
        for step, rule in rules.items():
            log = train(problems, LinearHead, "KQ", rule, steps, kept, start, progress=progress)
            runs[f"{step}, {name}"] = log.arrays(*KEPT)
    log = train(problems, LinearHead, "W", exact(rate), steps, kept, "uniform", progress=progress)
    runs["one matrix, random"] = log.arrays(*KEPT)
    drawn, vectors = draw_initial("flow, diagonal", problems.seeds, normal((2, d))) / np.sqrt(d), {}
    for name, factors in {"two factors": (drawn[:, 0], drawn[:, 1]), "one vector": (drawn[:, 0],)}.items():
        w = flow(problems, factors, short, kept)
        vectors[name] = {"weights": w, "probabilities": probabilities(problems, w[:, -1])}
        progress(len(problems))
    return {"steps": kept, "runs": runs, "vectors": vectors, "start": proof(answer)}


def aligned(answer: dict, K: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of the size of K with the singular vectors U, V of the solution; K and Q where there is none."""
    solved = (answer["status"] == "solved")[:, None, None]
    U, values, Vt = np.linalg.svd(np.where(solved, answer["W"], 0.0))
    lengths = np.where(values > RANK * values[:, :1], 1.0, FAINT)[:, None, :]
    size = np.linalg.norm(K, axis=(1, 2), keepdims=True) / np.linalg.norm(lengths, axis=2, keepdims=True)
    return np.where(solved, size * lengths * U, K), np.where(solved, size * lengths * Vt.swapaxes(1, 2), Q)
