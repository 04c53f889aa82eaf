"""Does a positional encoding act like a regulariser of the SVM?

The same instances without one (plain), with one added (added), and with token lengths brought back to one (encoded).
"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Cell, Experiment, Measures, certified, how_to_train, outcomes, require
from attnsvm.draws import added, encoded, gaussian

VARIANTS = {"plain": gaussian, "encoded": encoded, "added": added}


class Positional(Experiment):
    def cells(self):
        shape = self.config["problems"]
        require(shape["d"] >= 2, "config: experiments.positional.problems.d: an encoding needs two dimensions or more")
        seeds = tuple(range(shape["first_seed"], shape["first_seed"] + shape["instances"]))
        return [Cell(shape["n"], shape["T"], shape["d"], seeds, variant) for variant in VARIANTS]

    def problems(self, cell):
        return cell.draw(VARIANTS[cell.variant])

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {"every": settings["steps"], "progress": progress}
        log = train(problems, LinearHead, "W", **how)
        return {"weights": log.weights[:, -1], "probabilities": log.probabilities}

    def svm(self, problems, descent):
        """The solutions of the tokens selected, and of the same tokens for every variant: the first of each input."""
        from attnsvm.selection import selected_tokens

        selected = selected_tokens(descent["probabilities"])
        own = certified(problems, selected, "fro")
        first = certified(problems, np.zeros_like(selected), "fro")
        return {f"selected_{k}": v for k, v in own.items()} | {f"first_{k}": v for k, v in first.items()}

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation

        good = (svm["selected_status"] == "solved") & (svm["first_status"] == "solved")
        values = {
            "correlation": correlation(descent["weights"], svm["selected_W"]),
            "norm": np.linalg.norm(svm["first_W"], axis=(1, 2)),
        }
        frames = [
            pd.DataFrame({"tokens": cell.variant, "quantity": name, "seed": problems.seeds, "value": value})[good]
            for name, value in values.items()
        ]
        end = np.where(good, f"{cell.variant} measured", f"{cell.variant} without SVM")
        return Measures(pd.concat(frames), outcomes(cell, problems.seeds, end))

    def table(self, measures):
        return measures.instances


EXPERIMENT = Positional
