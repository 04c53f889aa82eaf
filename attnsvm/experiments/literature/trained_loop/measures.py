"""What a trained looped model lacks of the best margin: by what it attends with, and by what it reads out."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.looped.measures import lacking


def measures(cell, problems, trained, solved, settings):
    good, frames = solved["status"] == "solved", []
    examples, seeds, W = problems.tokens[good, :, 0], problems.seeds[good], solved["W"][good]
    for name, run in trained["runs"].items():
        for read, direction in {"attended": -run["w"] @ run["A"].mT, "read out": run["w"]}.items():
            lacks = lacking(examples, direction[good], W)
            frames.append(by_quantity(seeds, trained["depths"], {"lacking": lacks}, run=f"{name}, {read}"))
    rows = pd.concat(frames).rename(columns={"step": "depth"})
    return Measures(rows, outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM")))


def table(measures, settings):
    return medians(measures.instances, ["run", "depth", "quantity"])
