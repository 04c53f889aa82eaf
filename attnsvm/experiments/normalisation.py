"""How far the published normalised step follows the direction, against the same step computed free of underflow."""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Measures, certified, how_to_train, outcomes
from attnsvm.experiments.local_convergence import LocalConvergence

NORMALISATIONS = ("published", "exact")
NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation


class Normalisation(LocalConvergence):
    """On the instances of the local-convergence experiment."""

    trainings = len(NORMALISATIONS) * len(NORM)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        kept = np.unique(np.geomspace(1, settings["steps"], settings["points"]).round().astype(int))
        arrays = {"steps": kept}
        for normalisation in NORMALISATIONS:
            how = how_to_train({**settings, "normalisation": normalisation})
            for parametrisation in NORM:
                log = train(problems, LinearHead, parametrisation, every=kept, progress=progress, **how)
                for name in ("weights", "probabilities"):
                    arrays[f"{normalisation}_{parametrisation}_{name}"] = getattr(log, name)
        return arrays

    def svm(self, problems, descent):
        from attnsvm.selection import selected_tokens

        arrays = {}
        for normalisation in NORMALISATIONS:
            for parametrisation, norm in NORM.items():
                run = f"{normalisation}_{parametrisation}"
                selected = selected_tokens(descent[f"{run}_probabilities"])
                arrays |= {f"{run}_{name}": column for name, column in certified(problems, selected, norm).items()}
        return arrays

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation

        frames, ends = [], []
        steps = descent["steps"]
        for normalisation in NORMALISATIONS:
            for parametrisation in NORM:
                run = f"{normalisation}_{parametrisation}"
                good = svm[f"{run}_status"] == "solved"
                value = 1.0 - correlation(descent[f"{run}_weights"], svm[f"{run}_W"][:, None])[good]
                columns = {
                    "normalisation": normalisation,
                    "parametrisation": parametrisation,
                    "seed": np.repeat(problems.seeds[good], len(steps)),
                    "step": np.tile(steps, good.sum()),
                    "value": value.ravel(),
                }
                frames.append(pd.DataFrame(columns))
                ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run} measured", f"{run} without SVM")))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        groups = measures.instances.groupby(["normalisation", "parametrisation", "step"], sort=False)["value"]
        quartiles = {"low": lambda v: v.quantile(0.25), "high": lambda v: v.quantile(0.75)}
        return groups.agg(median="median", **quartiles, mean="mean", instances="size").reset_index()


EXPERIMENT = Normalisation
