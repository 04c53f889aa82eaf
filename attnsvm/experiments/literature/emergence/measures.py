"""The time to the circuit, over the law and as a power of the context's length."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.emergence.law import law as law


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for run, found in trained.items():
        good = np.isfinite(found["time"])
        time, path = (found[name][good] for name in ("time", "path"))
        values = {"time": time, "path": path, "over the law": time / law(cell.T, run)}
        frames.append(by_quantity(problems.seeds[good], np.array([cell.T]), values, run=run))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: appears", f"{run}: does not appear")))
    return Measures(pd.concat(frames).rename(columns={"step": "N"}), pd.concat(ends))


def table(measures, settings):
    rows, keys = measures.instances, ["run", "N", "quantity"]
    starts = rows[rows["quantity"].isin(["time", "path"])].groupby(["run", "quantity", "seed"], sort=False)
    slopes = starts[["N", "value"]].apply(lambda of: np.polyfit(*np.log(of.to_numpy()).T, 1)[0]).rename("value")
    exponents = slopes[starts.size() == rows["N"].nunique()].reset_index().assign(N=rows["N"].max())
    return medians(pd.concat([rows, exponents.assign(quantity="exponent of " + exponents["quantity"])]), keys)
