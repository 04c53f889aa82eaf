"""The least loss on balls of growing radius, against the SVM solution of the optimal tokens."""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, one_shape, outcomes, require
from attnsvm.draws import gaussian

NORMS = ("fro", "nuc")
START_STREAM = 23081  # keeps the random starts apart from the data drawn with the same seed


class RegularisationPath(Experiment):
    def cells(self):
        shape, balls = self.config["problems"], self.config.get("descent", {"smallest": 0, "largest": 1})
        require(
            balls["smallest"] < balls["largest"],
            "config: experiments.regularisation_path.descent: smallest is not below largest",
        )
        return one_shape(shape)

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        """Minimise on every ball, from the SVM direction, random directions and the neighbours on the path."""
        from attnsvm.training.regularisation import Excess, path
        from attnsvm.selection import optimal_tokens

        settings = self.config["descent"]
        radii = np.geomspace(settings["smallest"], settings["largest"], settings["points"])
        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        direction = {norm: certified(problems, optimal, norm) for norm in NORMS}
        S, d = len(problems), problems.tokens.shape[-1]
        arrays = {"radii": np.tile(radii, (S, 1))}
        for norm in NORMS:
            arrays[f"{norm}_start_status"] = direction[norm]["status"]
        for norm in NORMS:
            arrays[f"{norm}_weights"] = np.zeros((S, len(radii), d, d))
            for name in ("log_excess", "loss", "gap", "agreeing"):
                arrays[f"{norm}_{name}"] = np.zeros((S, len(radii)))
        for s, seed in enumerate(problems.seeds):
            excess = Excess(problems.tokens[s], problems.queries[s], problems.labels[s], problems.head[s])
            stream = np.random.default_rng([START_STREAM, seed])
            random = list(stream.normal(size=(settings["random_starts"], d, d)))
            for norm in NORMS:
                known = [direction[norm]["W"][s]] if direction[norm]["status"][s] == "solved" else []
                for k, ball in enumerate(path(excess, norm, radii, known + random)):
                    arrays[f"{norm}_weights"][s, k] = ball.W
                    arrays[f"{norm}_log_excess"][s, k] = ball.log_excess
                    arrays[f"{norm}_loss"][s, k] = excess.lowest + np.exp(ball.log_excess)
                    arrays[f"{norm}_gap"][s, k] = ball.gap
                    arrays[f"{norm}_agreeing"][s, k] = ball.agreeing
            progress(1)
        return arrays

    def svm(self, problems, descent):
        from attnsvm.selection import optimal_tokens

        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        solved = {norm: certified(problems, optimal, norm) for norm in NORMS}
        return {f"{norm}_{name}": column for norm in NORMS for name, column in solved[norm].items()}

    def measures(self, cell, problems, descent, svm):
        from attnsvm import norms
        from attnsvm.directions import correlation

        frames, ends = [], []
        radii = descent["radii"]
        for norm in NORMS:
            measure = norms.get(norm)
            solved = svm[f"{norm}_status"] == "solved"
            W, W_mm = descent[f"{norm}_weights"][solved], svm[f"{norm}_W"][solved][:, None]
            ours = W / measure.value(W)[..., None, None]
            theirs = W_mm / measure.value(W_mm)[..., None, None]
            columns = {
                "norm": norm,
                "R": radii[solved].ravel(),
                "correlation": correlation(W, W_mm).ravel(),
                "distance": measure.value(ours - theirs).ravel(),
                **{
                    name: descent[f"{norm}_{name}"][solved].ravel()
                    for name in ("loss", "log_excess", "gap", "agreeing")
                },
                "seed": np.repeat(problems.seeds[solved], radii.shape[1]),
            }
            frames.append(pd.DataFrame(columns))
            ends.append(outcomes(cell, problems.seeds, np.where(solved, f"{norm} measured", f"{norm} without SVM")))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        return measures.instances


EXPERIMENT = RegularisationPath
