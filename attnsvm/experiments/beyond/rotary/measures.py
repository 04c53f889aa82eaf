"""How far W is from the solution of its own lifted tokens and from that at other distances; what can be separated."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.rows import last
from attnsvm.analysis.statistics import share


def measures(cell, problems, trained, solved, settings):
    own, other, random = (solved[name] for name in ("own", "reversed", "random"))
    settled = np.isin(random["status"], ["solved", "infeasible"])
    kept = (own["status"] == "solved") & settled
    there = other["status"] == "solved"
    values = {
        "distance": 1 - correlation(trained["weights"], own["W"][:, None]),
        "reversed": np.where(there[:, None], 1 - correlation(trained["weights"], other["W"][:, None]), np.nan),
        "separable": random["status"] == "solved",
    }
    frame = curves(
        problems.seeds[kept],
        trained["steps"],
        {name: value[kept] for name, value in values.items()},
        d=cell.d,
        F=int(cell.variant[1:]),
        room=parameters(cell) / (cell.n * (cell.T - 1)),
    )
    end = np.where(kept, f"d = {cell.d}, {cell.variant} measured", f"d = {cell.d}, {cell.variant} without SVM")
    return Measures(frame, outcomes(cell, problems.seeds, end))


def parameters(cell):
    """How many numbers of W the constraints can see: as many rows as a lifted token has, in the span of the queries."""
    return (2 * int(cell.variant[1:]) + 1) * cell.d * min(cell.n, cell.d)


def table(measures, settings):
    """The runs, and below them the share of the random choices that can be separated."""
    rows = measures.instances
    ends = last(rows).assign(quantity="separable", value=last(rows)["separable"])
    shares = medians(ends, ["d", "F", "room", "step", "quantity"], of_value=share)
    whole = pd.concat([rows, shares], ignore_index=True)
    return whole.astype({"seed": "Int64", "separable": "boolean", "instances": "Int64"})
