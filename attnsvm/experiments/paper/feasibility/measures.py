"""The share of instances with a separator, among those decided by a certificate."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.statistics import share


@gathered
def measures(cell, problems, trained, solved, settings):
    for attention, choices in solved.items():
        for alpha, answers in choices.items():
            status = answers["status"]
            columns = {"n": cell.n, "T": cell.T, "d": cell.d, "attention": attention, "alpha": alpha}
            frame = pd.DataFrame({**columns, "seed": problems.seeds, "feasible": status == "solved"})
            yield frame[status != "uncertified"]
            yield outcomes(cell, problems.seeds, np.char.add(f"{attention} {alpha} ", status))


def table(measures, settings):
    rows = measures.instances.rename(columns={"feasible": "value"})
    return medians(rows, ["n", "T", "d", "attention", "alpha"], of_value=share)
