"""A query at every position of the input: does the trained W go to the SVM constrained at every position?"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, how_to_train, one_shape, outcomes
from attnsvm.draws import gaussian

ATTENTIONS = ("sequence", "causal")
NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation


class Sequence(Experiment):
    trainings = len(ATTENTIONS) * len(NORM)

    def cells(self):
        return one_shape(self.config["problems"])

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        kept = np.unique(np.geomspace(1, settings["steps"], settings["points"]).round().astype(int))
        how = how_to_train(settings) | {"every": kept, "progress": progress}
        arrays = {"steps": kept}
        for attention in ATTENTIONS:
            for parametrisation in NORM:
                log = train(problems, LinearHead, parametrisation, attention=attention, **how)
                for name in ("weights", "probabilities"):
                    arrays[f"{attention}_{parametrisation}_{name}"] = getattr(log, name)
        return arrays

    def svm(self, problems, descent):
        from attnsvm.selection import selected_tokens
        from attnsvm.svm import sequence, solve_batch, stack

        S, n, T, _ = problems.tokens.shape
        arrays = {}
        for attention in ATTENTIONS:
            for parametrisation, norm in NORM.items():
                run = f"{attention}_{parametrisation}"
                selected = selected_tokens(descent[f"{run}_probabilities"]).reshape(S, n, T)
                inputs = zip(problems.tokens, selected, strict=True)
                answers = stack(solve_batch([sequence(*one, causal=attention == "causal") for one in inputs], norm))
                arrays |= {f"{run}_{name}": column for name, column in answers.items()}
        return arrays

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation

        frames, ends = [], []
        steps, least = descent["steps"], self.config["measures"]["saturated"]
        for attention in ATTENTIONS:
            for parametrisation in NORM:
                run = f"{attention}_{parametrisation}"
                solved = svm[f"{run}_status"] == "solved"
                saturated = descent[f"{run}_probabilities"].max(-1).min(-1) >= least
                value = correlation(descent[f"{run}_weights"], svm[f"{run}_W"][:, None])
                kept = solved & saturated
                columns = {
                    "attention": attention,
                    "parametrisation": parametrisation,
                    "seed": np.repeat(problems.seeds[kept], len(steps)),
                    "step": np.tile(steps, kept.sum()),
                    "value": value[kept].ravel(),
                }
                frames.append(pd.DataFrame(columns))
                end = np.where(solved, "measured", svm[f"{run}_status"])
                end = np.where(saturated, end, "not saturated")
                ends.append(outcomes(cell, problems.seeds, np.char.add(f"{run} ", end)))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        groups = measures.instances.groupby(["attention", "parametrisation", "step"], sort=False)["value"]
        return groups.agg(mean="mean", std=lambda v: v.std(ddof=0), instances="size").reset_index()


EXPERIMENT = Sequence
