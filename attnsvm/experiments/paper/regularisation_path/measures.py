"""Each ball's minimiser against the max-margin solution of the same norm."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import gathered, outcomes

COLUMNS = ["norm", "R", "correlation", "distance", "loss", "log_excess", "gap", "agreeing", "seed"]


@gathered
def measures(cell, problems, trained, solved, settings):
    radii = trained["radii"]
    for norm, found in trained["balls"].items():
        size, has_solution = geometry.get(norm).value, solved[norm]["status"] == "solved"
        W, W_mm = found["weights"][has_solution], solved[norm]["W"][has_solution][:, None]
        seeds = problems.seeds[has_solution]
        columns = {
            "norm": norm,
            "R": np.tile(radii, len(seeds)),
            "correlation": correlation(W, W_mm).ravel(),
            "distance": size(W / size(W)[..., None, None] - W_mm / size(W_mm)[..., None, None]).ravel(),
            **{name: found[name][has_solution].ravel() for name in ("loss", "log_excess", "agreeing")},
            "gap": found["unmet"][has_solution].ravel(),
            "seed": np.repeat(seeds, len(radii)),
        }
        yield pd.DataFrame(columns)[COLUMNS]
        yield outcomes(cell, problems.seeds, np.where(has_solution, f"{norm} measured", f"{norm} without SVM"))
