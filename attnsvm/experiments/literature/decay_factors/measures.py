"""How well local minima meet the conditions of the nuclear norm, how their norm grows, and what their rank says."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share
from attnsvm.experiments.literature.decay.measures import unmet

MET = 0.01  # of the gap


def measures(cell, problems, trained, solved, settings):
    frames, ends, decays, nuc = [], [], trained["decays"], geometry.get("nuc").value
    for name, W in trained["ends"].items():
        answer = {key: value[solved["place"][name]] for key, value in solved["solution"].items()}
        good = answer["status"] == "solved"
        W, seeds, growth = W[good], problems.seeds[good], np.log(decays[:-1] / decays[1:])
        gap = np.stack([unmet(problems[good], W[:, k], "nuc", nuc(W[:, k])) for k in range(len(decays))], 1)
        grown = np.diff(nuc(W), axis=1) / growth / nuc(answer["W"][good])[:, None]
        found = [(decays, {"gap": gap}), (decays[1:], {"growth": grown})]
        if name.startswith("m = "):
            met, predicted = gap[:, -1] <= MET, answer["rank"][good] <= int(name[4:])
            shares = {"share met": met, "share predicted": predicted, "share agreeing": met == predicted}
            found.append((decays[-1:], shares))
        frames += [by_quantity(seeds, along, values, run=name) for along, values in found]
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames).rename(columns={"step": "decay"}), pd.concat(ends))


def table(measures, settings):
    return medians(measures.instances, ["run", "decay", "quantity"], named_share)
