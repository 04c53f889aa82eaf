"""Started in a cone around the SVM direction of some tokens, does descent stay with them?

For each instance two choices α are drawn among all those that can be separated: one that is locally optimal but not
the optimal tokens, and one that is not locally optimal. W starts at correlation 1 − μ with the SVM solution W_mm of α,
at norm R·‖W_mm‖: logits R apart where μ = 0. Steps are normalised and a fixed share of R long.
"""

from itertools import product

import numpy as np

from attnsvm.analysis.selection import locally_optimal, scores, support_of
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact

KINDS = ("locally_optimal", "not_locally_optimal")
CHOICE_STREAM = 30817  # keeps the choices apart from the data drawn with the same seed


def descent(problems, settings, progress):
    starts = list(product(settings["margins"], settings["apertures"]))
    progress.expect(len(KINDS) * len(starts) * len(problems))
    chosen, proofs = choices(problems)
    how = {"steps": settings["steps"], "every": settings["steps"], "progress": progress}
    runs = {}
    for kind, choice in chosen.items():
        logs = []
        for R, mu in starts:
            rule, W = exact(settings["relative_step"] * R), around(choice["W"], mu, R, problems.seeds)
            logs.append(train(problems, LinearHead, "W", rule, start=W, **how))
        runs[kind] = {
            "alpha": choice["alpha"],
            "found": choice["found"],
            "weights": np.stack([log.weights[:, -1] for log in logs], 1),
            "probabilities": np.stack([log.probabilities for log in logs], 1),
        }
    return {"starts": np.array(starts), "choices": proofs, "runs": runs}


def choices(problems):
    """By kind, the choice "alpha" (S, n), its solution "W" (S, d, d), and whether the choice exists, "found" (S,).

    Also the proof of every choice, (S, Tⁿ) each, see `svm.solution.proof`.
    """
    S, n, T, d = problems.tokens.shape
    every = np.array(list(product(range(T), repeat=n)))
    chosen = {
        kind: {"alpha": np.zeros((S, n), int), "W": np.zeros((S, d, d)), "found": np.zeros(S, bool)} for kind in KINDS
    }
    proofs = []
    for s in range(S):
        copies = problems[np.full(len(every), s)]
        answers = certified(copies, every, "fro")
        proofs.append(proof(answers))
        solved = answers["status"] == "solved"
        tight = support_of(copies.tokens, copies.queries, answers, every)
        score = scores(copies.tokens, copies.head, copies.labels)
        local = locally_optimal(score, every, tight)
        optimal = (every == score.argmax(-1)).all(1)
        stream = np.random.default_rng([CHOICE_STREAM, problems.seeds[s]])
        for choice, members in zip(chosen.values(), (solved & local & ~optimal, solved & ~local), strict=True):
            numbers = np.flatnonzero(members)
            if len(numbers):
                k = stream.choice(numbers)
                choice["alpha"][s], choice["W"][s], choice["found"][s] = every[k], answers["W"][k], True
    return chosen, {name: np.stack([one[name] for one in proofs]) for name in proofs[0]}


def around(W_mm: np.ndarray, mu: float, R: float, seeds: np.ndarray) -> np.ndarray:
    """Matrices of norm R·‖W_mm‖ at correlation 1 − μ with W_mm, in a random direction from it."""
    size = np.linalg.norm(W_mm, axis=(1, 2), keepdims=True)
    along = W_mm / np.where(size == 0, 1.0, size)
    away = np.stack([np.random.default_rng([CHOICE_STREAM, 1, seed]).normal(size=W_mm.shape[1:]) for seed in seeds])
    away -= (away * along).sum((1, 2), keepdims=True) * along
    away /= np.linalg.norm(away, axis=(1, 2), keepdims=True)
    return R * size * ((1 - mu) * along + np.sqrt(1 - (1 - mu) ** 2) * away)
