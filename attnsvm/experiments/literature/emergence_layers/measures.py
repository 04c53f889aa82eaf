"""Exponents of the time in the multipliers of a layer, how far the layers leave their lines, and fixed inputs."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.emergence.measures import law

TIMES = 4.0  # as many multipliers with halved logits


def measures(cell, problems, trained, solved, settings):
    N, random, averaged = cell.T, trained["random"]["time"], trained["averaged"]["time"]
    sums = {layer: np.square(answer["W"][0]).sum() for layer, answer in solved.items()}
    proved = all(answer["status"][0] == "solved" for answer in solved.values())
    frames, ends = [], []
    for run, found in trained.items():
        values = dict(zip(("outside, below", "outside, top"), found["outside"].T, strict=True))
        values |= {"named": found["named"], "new inputs": found["new inputs"], "over random": found["time"] / random}
        if run.endswith("halved"):
            values["exponent"] = np.log(found["time"] / averaged) / np.log(TIMES)
        if run == "averaged":
            values |= {f"multipliers, {layer}": np.full(len(random), of / N) for layer, of in sums.items()}
            values["over the law"] = averaged / law(N, run) * N / np.sqrt(sums["below"] * sums["top"])
        good = np.isfinite(found["time"] + random + averaged) & proved
        values = {name: value[good] for name, value in values.items()}
        frames.append(by_quantity(problems.seeds[good], np.array([N]), values, run=run))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: measured", f"{run}: not measured")))
    return Measures(pd.concat(frames).rename(columns={"step": "N"}), pd.concat(ends))


def table(measures, settings):
    return medians(measures.instances, ["run", "N", "quantity"])
