"""How fast K and Q balance under plain descent, and the margin that the published step lacks."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians


def measures(cell, problems, trained, solved, settings):
    frames, ends, nuc, steps, time = [], [], geometry.get("nuc").value, trained["steps"], trained["time"]
    for name, (K, Q) in trained["plain"].items():
        balance = np.linalg.norm(K.mT @ K - Q.mT @ Q, axis=(2, 3))
        difference = ((K**2).sum((2, 3)) + (Q**2).sum((2, 3))) / 2 - nuc(K @ Q.mT)
        found = {"balance": balance / balance[:, :1], "difference": difference / difference[:, :1]}
        paces = {f"pace of {of}": -np.log(value[:, -1:]) / time[-1] for of, value in found.items()}
        found["predicted"] = np.broadcast_to(np.exp(-time), balance.shape)
        frames += [by_quantity(problems.seeds, *each, run=name) for each in ((steps, found), (steps[-1:], paces))]
    decays, answer = trained["decays"], solved["solutions"]["nuc"]
    for name, W in trained["published"].items():
        place = solved["place"][name]
        good = answer["status"][place] == "solved"
        known, place, W = problems[good], place[good], W[good]
        given = known.tokens, known.queries, W, solved["selected"][place]
        found = {"missing": 1 - margin_ratio(*given, "nuc", answer["W"][place]), "norm": nuc(W)}
        frames.append(by_quantity(known.seeds, decays, found, run=name))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames).rename(columns={"step": "along"}), pd.concat(ends))


def table(measures, settings):
    return medians(measures.instances, ["run", "along", "quantity"])
