"""Random instances trained from random weights: which SVM solution of the tokens they select do they go to?"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, how_to_train, one_shape, outcomes
from attnsvm.draws import gaussian

PARAMETRISATIONS = ("W", "KQ")
NORMS = ("fro", "nuc")


class LocalConvergence(Experiment):
    trainings = len(PARAMETRISATIONS)
    attention = "cross"

    def cells(self):
        return one_shape(self.config["problems"])

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {
            "every": settings["log_every"],
            "attention": self.attention,
            "progress": progress,
        }
        arrays = {}
        for parametrisation in PARAMETRISATIONS:
            log = train(problems, LinearHead, parametrisation, **how)
            arrays["steps"] = log.steps
            for name in ("weights", "largest", "probabilities"):
                arrays[f"{parametrisation}_{name}"] = getattr(log, name)
        return arrays

    def svm(self, problems, descent):
        from attnsvm.selection import selected_tokens

        arrays = {}
        for parametrisation in PARAMETRISATIONS:
            selected = selected_tokens(descent[f"{parametrisation}_probabilities"])
            arrays[f"{parametrisation}_selected"] = selected
            for norm in NORMS:
                for name, column in certified(problems, selected, norm, self.attention).items():
                    arrays[f"{parametrisation}_{norm}_{name}"] = column
        return arrays

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation

        drawn = descent["steps"] <= self.config["measures"]["drawn_steps"]
        steps = descent["steps"][drawn]
        frames, ends = [], []
        for parametrisation in PARAMETRISATIONS:
            weights = descent[f"{parametrisation}_weights"][:, drawn]
            values = {"softmax": descent[f"{parametrisation}_largest"][:, drawn]}
            bad = np.zeros(len(problems), dtype=bool)
            for norm in NORMS:
                prefix = f"{parametrisation}_{norm}"
                values[f"corr_{norm}"] = correlation(weights, svm[f"{prefix}_W"][:, None])
                bad |= svm[f"{prefix}_status"] != "solved"
            kept = ~bad  # an instance without both certified solutions leaves every average, by name
            for quantity, value in values.items():
                frames.append(
                    pd.DataFrame(
                        {
                            "parametrisation": parametrisation,
                            "quantity": quantity,
                            "seed": np.repeat(problems.seeds[kept], len(steps)),
                            "step": np.tile(steps, kept.sum()),
                            "value": value[kept].ravel(),
                        }
                    )
                )
            ends.append(outcomes(cell, problems.seeds, np.where(kept, "measured", f"{parametrisation} without SVM")))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        groups = measures.instances.groupby(["parametrisation", "quantity", "step"], sort=False)["value"]
        table = groups.agg(mean="mean", std=lambda v: v.std(ddof=0), instances="size").reset_index()
        return table


EXPERIMENT = LocalConvergence
