"""Whether the trained W goes to the solution of its tokens, and how large the solution of a fixed choice is."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, outcomes


def measures(cell, problems, trained, solved, settings):
    kept = all_solved(solved.values())
    values = {
        "correlation": correlation(trained["weights"], solved["selected"]["W"]),
        "norm": np.linalg.norm(solved["first"]["W"], axis=(1, 2)),
    }
    frames = [
        pd.DataFrame({"tokens": cell.variant, "quantity": name, "seed": problems.seeds, "value": value})[kept]
        for name, value in values.items()
    ]
    end = np.where(kept, f"{cell.variant} measured", f"{cell.variant} without SVM")
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, end))
