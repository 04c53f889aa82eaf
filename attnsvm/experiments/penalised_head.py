"""A head that prefers mixtures, h(x) = vᵀx − λ‖x‖², on orthonormal tokens: how many tokens are selected, and does the
trained W go where the generalised SVM says?

With orthonormal tokens h(Xᵀp) = γᵀp − λ‖p‖²: the best attention is the projection of γ/(2λ) onto the simplex, whatever
the softmax. Penalties λ share the instance and its initial weights.
"""

from functools import partial

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, grid, how_to_train, outcomes
from attnsvm.draws import orthonormal


class PenalisedHeadExperiment(Experiment):
    def __init__(self, config):
        super().__init__(config)
        self.trainings = len(self._penalties()) if "descent" in config else 1

    def _penalties(self) -> list[float]:
        return self.config["descent"]["penalties"]

    def cells(self):
        shape = self.config["problems"]
        seeds = range(shape["first_seed"], shape["first_seed"] + shape["instances"])
        return grid({"n": [shape["n"]], "T": [shape["d"]], "d": [shape["d"]]}, seeds)

    def problems(self, cell):
        return cell.draw(orthonormal)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import PenalisedHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {"every": settings["steps"], "start": "zero", "progress": progress}
        logs = [train(problems, partial(PenalisedHead, penalty=x), "W", **how) for x in self._penalties()]
        return {
            "penalties": np.tile(self._penalties(), (len(problems), 1)),
            "weights": np.stack([log.weights[:, -1] for log in logs], 1),
            "probabilities": np.stack([log.probabilities for log in logs], 1),
        }

    def svm(self, problems, descent):
        from attnsvm.selection import selected_sets
        from attnsvm.svm import finite_part, solve_batch, stack

        arrays = {}
        for k in range(descent["penalties"].shape[1]):
            probabilities = descent["probabilities"][:, k]
            chosen = selected_sets(probabilities)
            arrays |= {f"{k}_mm_{name}": column for name, column in certified(problems, chosen, "fro").items()}
            inputs = zip(problems.tokens, problems.queries, chosen, probabilities, strict=True)
            inside = stack(solve_batch([finite_part(*one) for one in inputs], "fro"))
            arrays |= {f"{k}_fin_{name}": column for name, column in inside.items()}
        return arrays

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation, svm_equivalent
        from attnsvm.selection import scores, selected_sets

        score = scores(problems.tokens, problems.head, problems.labels)
        frames, ends = [], []
        for k, penalty in enumerate(descent["penalties"][0]):
            W, p = descent["weights"][:, k], descent["probabilities"][:, k]
            mm, fin = svm[f"{k}_mm_W"], svm[f"{k}_fin_W"]
            optimal = best_attention(score, penalty)
            good = (svm[f"{k}_mm_status"] == "solved") & (svm[f"{k}_fin_status"] == "solved")
            some_left_out = (~selected_sets(p)).any((1, 2))
            columns = {
                "lambda": penalty,
                "selected": selected_sets(p).sum(-1).mean(-1),
                "optimal": selected_sets(optimal).sum(-1).mean(-1),
                "distance": np.abs(p - optimal).max((1, 2)),
                "seed": problems.seeds,
            }
            for solution, matrix, defined in (("mm", mm, some_left_out), ("svmeq", svm_equivalent(W, fin, mm), True)):
                kept = good & defined  # W_mm is zero where every token is selected
                value = 1.0 - correlation(W[kept], matrix[kept])
                frame = pd.DataFrame(columns | {"solution": solution})[kept]
                frames.append(frame.assign(value=value))
            end = np.select([~good, ~some_left_out], ["without SVM", "every token selected"], "some tokens left out")
            ends.append(outcomes(cell, problems.seeds, np.char.add(f"lambda {penalty:g}: ", end)))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        return measures.instances[["lambda", "selected", "optimal", "distance", "solution", "value", "seed"]]


def best_attention(score: np.ndarray, penalty: float) -> np.ndarray:
    """argmax γᵀp − penalty·‖p‖² over the simplex, (..., T) for scores γ (..., T): the projection of γ/(2·penalty).

    By the order of the entries: Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008.
    """
    y = score / (2 * penalty)
    falling = -np.sort(-y, axis=-1)
    count = np.arange(1, y.shape[-1] + 1)
    level = (falling.cumsum(-1) - 1) / count
    last = (falling > level).sum(-1, keepdims=True) - 1
    return np.maximum(y - np.take_along_axis(level, last, -1), 0.0)


EXPERIMENT = PenalisedHeadExperiment
