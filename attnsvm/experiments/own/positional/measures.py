"""Whether the trained W goes to the solution of its tokens, and how large the solution of a fixed choice is."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import all_solved, gathered, outcomes
from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import share


@gathered
def measures(cell, problems, trained, solved, settings):
    kept = all_solved(solved.values())
    values = {
        "correlation": correlation(trained["weights"], solved["selected"]["W"]),
        "norm": np.linalg.norm(solved["first"]["W"], axis=(1, 2)),
    }
    for name, value in values.items():
        yield pd.DataFrame({"tokens": cell.variant, "quantity": name, "seed": problems.seeds, "value": value})[kept]
    yield outcomes(cell, problems.seeds, np.where(kept, f"{cell.variant} measured", f"{cell.variant} without SVM"))


# How much longer tokens are: sinusoidal positions of length one are added to tokens of length one, nearly orthogonal.
LONGER = {"encoded": 1.0, "added": np.sqrt(2)}


def table(measures, settings):
    rows = measures.instances
    norms = where(rows, quantity="norm").pivot(index="seed", columns="tokens", values="value")
    # Tokens of which no instance is separable have no column.
    norms = norms.reindex(columns=["plain", *LONGER]).dropna()
    shares = [
        {"tokens": tokens, "quantity": quantity} | share(hits)
        for tokens, length in LONGER.items()
        for quantity, hits in (
            ("wider", norms[tokens] < norms["plain"]),
            ("narrower for its length", norms["plain"] / norms[tokens] / length < 1),
        )
        if len(norms)
    ]
    return pd.concat([rows, pd.DataFrame(shares)], ignore_index=True).astype({"seed": "Int64"})
