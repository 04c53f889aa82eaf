"""How well local minima meet the conditions of the nuclear norm, how their norm grows, and which ranks they have."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share
from attnsvm.experiments.literature.decay.measures import selected, unmet

MET = 0.01  # of the gap
RANK = 1e-4  # of the largest singular value: what minima leave in place of zero is below 1e-8


def measures(cell, problems, trained, solved, settings):
    frames, ends, decays, nuc = [], [], trained["decays"], geometry.get("nuc").value
    free = trained["ends"]["all columns"][:, -1]
    values = np.linalg.svd(free, compute_uv=False)
    rank, chosen = (values > RANK * values[:, :1]).sum(1), selected(problems, free)
    for name, W in trained["ends"].items():
        answer = {key: value[solved["place"][name]] for key, value in solved["solution"].items()}
        good = answer["status"] == "solved"
        W, seeds, growth = W[good], problems.seeds[good], np.log(decays[:-1] / decays[1:])
        gap = np.stack([unmet(problems[good], W[:, k], "nuc", nuc(W[:, k])) for k in range(len(decays))], 1)
        grown = np.diff(nuc(W), axis=1) / growth / nuc(answer["W"][good])[:, None]
        found = [(decays, {"gap": gap}), (decays[1:], {"growth": grown})]
        frames += [by_quantity(seeds, along, values, run=name) for along, values in found]
        if name.startswith("m = "):
            same = (selected(problems, trained["ends"][name][:, -1]) == chosen).all(-1)[good]
            met, predicted = gap[:, -1] <= MET, rank[good] <= int(name[4:])
            shares = {"met": met, "predicted": predicted, "agreeing": met == predicted}
            shares["of the certified rank"] = answer["rank"][good] == rank[good]
            shares = {f"share {quantity}": share[same] for quantity, share in shares.items()}
            frames.append(by_quantity(seeds[same], decays[-1:], shares, run=name))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames).rename(columns={"step": "decay"}), pd.concat(ends))


def table(measures, settings):
    rows = medians(measures.instances, ["run", "decay", "quantity"], named_share)
    met = rows[rows["quantity"] == "share met"]
    guess = {"quantity": "share guessed", "value": np.maximum(met["value"], 1.0 - met["value"])}
    return pd.concat([rows, met.drop(columns=["low", "high", "interval"]).assign(**guess)], ignore_index=True)
