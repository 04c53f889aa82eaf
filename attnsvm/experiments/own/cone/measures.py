"""How many runs still select their choice at the end, and how many of them converge to its solution."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.selection import selected_tokens
from attnsvm.analysis.statistics import share


@gathered
def measures(cell, problems, trained, solved, settings):
    for kind, run in trained["runs"].items():
        found = run["found"]
        for k, (R, mu) in enumerate(trained["starts"]):
            along = correlation(run["weights"][:, k], solved[kind]["W"])
            stayed = (selected_tokens(run["probabilities"][:, k]) == run["alpha"]).all(1)
            columns = {"kind": kind, "R": R, "mu": mu, "seed": problems.seeds, "correlation": along}
            columns |= {"stayed": stayed, "converged": stayed & (along >= settings["correlation"])}
            yield pd.DataFrame(columns)[found]
        yield outcomes(cell, problems.seeds, np.where(found, f"{kind} drawn", f"{kind} none to draw"))


def table(measures, settings):
    return pd.DataFrame(
        {"kind": kind, "R": R, "mu": mu, "end": end, **share(group[end])}
        for (kind, R, mu), group in measures.instances.groupby(["kind", "R", "mu"], sort=False)
        for end in ("stayed", "converged")
    )
