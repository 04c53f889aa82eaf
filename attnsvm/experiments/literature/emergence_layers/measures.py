"""Exponents of the time in the multipliers of a layer, how far the layers leave their lines, and fixed inputs."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.emergence.measures import law
from attnsvm.training.stack.lookup import averaged, drawn, forces

TIMES = 4.0  # as many multipliers with halved logits
STREAM, NEW = 51104, 8  # of new inputs: keeps them apart from those of training; per place of the first A


def measures(cell, problems, trained, solved, settings):
    N, random, mean = cell.T, trained["random"]["time"], trained["averaged"]["time"]
    symbol, place = np.arange(N - 1), np.arange(N - 1, 2 * N - 2)
    sums = {layer: np.square(answer["W"][0]).sum() for layer, answer in solved.items()}
    proved = all(answer["status"][0] == "solved" for answer in solved.values())
    frames, ends = [], []
    for run, found in trained.items():
        grown, each = found["grown"], zip(found["weights"], problems.seeds.tolist(), strict=True)
        names = ((grown - averaged(grown, N)) ** 2).sum((1, 2, 3)) / (grown**2).sum((1, 2, 3))
        others = [forces(W, drawn(np.random.default_rng([STREAM, seed]), N, NEW * (N - 2)))[0] for W, seed in each]
        values = {"outside, below": outside(grown[:, 0], place, place + 1), "named": names, "new inputs": others}
        values |= {"outside, top": outside(grown[:, 1], place + N, symbol), "over random": found["time"] / random}
        if run.endswith("halved"):
            values["exponent"] = np.log(found["time"] / mean) / np.log(TIMES)
        if run == "averaged":
            values |= {f"multipliers, {layer}": np.full(len(random), of / N) for layer, of in sums.items()}
            values["over the law"] = mean / law(N, run) * N / np.sqrt(sums["below"] * sums["top"])
        good = np.isfinite(found["time"] + random + mean) & proved
        values = {name: np.asarray(value)[good] for name, value in values.items()}
        frames.append(by_quantity(problems.seeds[good], np.array([N]), values, run=run))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: measured", f"{run}: not measured")))
    return Measures(pd.concat(frames).rename(columns={"step": "N"}), pd.concat(ends))


def outside(grown, rows, columns):
    """The share of matrices (S, d, d) outside the line of equal entries at some places, (S,)."""
    return 1.0 - grown[:, rows, columns].sum(1) ** 2 / len(rows) / (grown**2).sum((1, 2))


def table(measures, settings):
    return medians(measures.instances, ["run", "N", "quantity"])
