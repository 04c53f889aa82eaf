"""Started in a cone around the SVM direction of some tokens, does descent stay with them?

For each instance two choices α are drawn among all those that can be separated: one that is locally optimal but not
the optimal tokens, and one that is not locally optimal. W starts at correlation 1 − μ with the SVM solution W_mm of α,
at norm R·‖W_mm‖: logits R apart where μ = 0. Steps are normalised and a fixed share of R long.
"""

from itertools import product

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, one_shape, outcomes, require, share
from attnsvm.draws import gaussian

MOST_CHOICES = 4096
KINDS = ("locally_optimal", "not_locally_optimal")
CHOICE_STREAM = 30817  # keeps the choices apart from the data drawn with the same seed


class Cone(Experiment):
    def __init__(self, config):
        super().__init__(config)
        self.trainings = len(KINDS) * len(self._starts()) if "descent" in config else 1

    def _starts(self) -> list[tuple[float, float]]:
        """Every (R, μ)."""
        return list(product(self.config["descent"]["margins"], self.config["descent"]["apertures"]))

    def cells(self):
        shape = self.config["problems"]
        require(
            shape["T"] ** shape["n"] <= MOST_CHOICES,
            f"config: experiments.cone.problems: T to the power of n exceeds {MOST_CHOICES}: every choice of tokens is "
            "solved, choose a smaller n or T",
        )
        return one_shape(shape)

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead
        from attnsvm.training.steps import exact

        settings = self.config["descent"]
        how = {"steps": settings["steps"], "every": settings["steps"], "progress": progress}
        arrays = {"starts": np.tile(self._starts(), (len(problems), 1, 1))}
        chosen, solved = _choices(problems)
        arrays["choices_status"] = solved
        for kind, (alpha, W_mm, found) in chosen.items():
            arrays[f"{kind}_alpha"], arrays[f"{kind}_found"] = alpha, found
            logs = []
            for R, mu in self._starts():
                rule, start = exact(settings["relative_step"] * R), _starts(W_mm, mu, R, problems.seeds)
                logs.append(train(problems, LinearHead, "W", rule, start=start, **how))
            arrays[f"{kind}_weights"] = np.stack([log.weights[:, -1] for log in logs], 1)
            arrays[f"{kind}_probabilities"] = np.stack([log.probabilities for log in logs], 1)
        return arrays

    def svm(self, problems, descent):
        solved = {kind: certified(problems, descent[f"{kind}_alpha"], "fro") for kind in KINDS}
        return {f"{kind}_{name}": column for kind in KINDS for name, column in solved[kind].items()}

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation
        from attnsvm.selection import selected_tokens

        frames, ends = [], []
        for kind in KINDS:
            found = descent[f"{kind}_found"]
            for k, (R, mu) in enumerate(descent["starts"][0]):
                selected = selected_tokens(descent[f"{kind}_probabilities"][:, k])
                along = correlation(descent[f"{kind}_weights"][:, k], svm[f"{kind}_W"])
                stayed = (selected == descent[f"{kind}_alpha"]).all(1)
                columns = {
                    "kind": kind,
                    "R": R,
                    "mu": mu,
                    "seed": problems.seeds,
                    "correlation": along,
                    "stayed": stayed,
                }
                frame = pd.DataFrame(columns)
                converged = stayed & (along >= self.config["measures"]["correlation"])
                frames.append(frame.assign(converged=converged)[found])
            ends.append(outcomes(cell, problems.seeds, np.where(found, f"{kind} drawn", f"{kind} none to draw")))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        return pd.DataFrame(
            {"kind": kind, "R": R, "mu": mu, "end": end, **share(int(group[end].sum()), len(group))}
            for (kind, R, mu), group in measures.instances.groupby(["kind", "R", "mu"], sort=False)
            for end in ("stayed", "converged")
        )


def _choices(problems):
    """By kind, the choice α (S, n), its solution (S, d, d), and whether there is one (S,).

    And the status of every choice (S, Tⁿ).
    """
    from attnsvm.selection import by_token, locally_optimal, margins, scores, support

    S, n, T, d = problems.tokens.shape
    every = np.array(list(product(range(T), repeat=n)))
    chosen = {kind: (np.zeros((S, n), int), np.zeros((S, d, d)), np.zeros(S, bool)) for kind in KINDS}
    status = np.empty((S, len(every)), dtype="U11")
    for s in range(S):
        copies = problems[np.full(len(every), s)]
        answers = certified(copies, every, "fro")
        solved = answers["status"] == "solved"
        status[s] = answers["status"]
        margin = margins(copies.tokens, copies.queries, answers["W"], every)
        tight = support(margin, by_token(answers["dual"], every, T), every)
        score = scores(copies.tokens, copies.head, copies.labels)
        local = locally_optimal(score, every, tight)
        optimal = (every == score.argmax(-1)).all(1)
        stream = np.random.default_rng([CHOICE_STREAM, problems.seeds[s]])
        for kind, members in zip(KINDS, (solved & local & ~optimal, solved & ~local), strict=True):
            numbers = np.flatnonzero(members)
            if len(numbers):
                k = stream.choice(numbers)
                chosen[kind][0][s], chosen[kind][1][s], chosen[kind][2][s] = every[k], answers["W"][k], True
    return chosen, status


def _starts(W_mm: np.ndarray, mu: float, R: float, seeds: np.ndarray) -> np.ndarray:
    """Matrices of norm R·‖W_mm‖ at correlation 1 − μ with W_mm, in a random direction from it."""
    size = np.linalg.norm(W_mm, axis=(1, 2), keepdims=True)
    along = W_mm / np.where(size == 0, 1.0, size)
    away = np.stack([np.random.default_rng([CHOICE_STREAM, 1, seed]).normal(size=W_mm.shape[1:]) for seed in seeds])
    away -= (away * along).sum((1, 2), keepdims=True) * along
    away /= np.linalg.norm(away, axis=(1, 2), keepdims=True)
    return R * size * ((1 - mu) * along + np.sqrt(1 - (1 - mu) ** 2) * away)


EXPERIMENT = Cone
