"""Each parametrisation goes to the solution of its own norm, and not to that of the other."""

import numpy as np

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.numbers import Estimate, Limit, each
from attnsvm.audit.reading import Claims, Reading, only, some
from attnsvm.audit.rows import last, single, where

CHECK = "lead of the own norm's correlation over the other's, the smaller of W and (K, Q), 95 % interval of the mean"
CLAIMS = Claims(group="paper")


@CLAIMS.add(
    short="each to its own norm's solution, not the other's",
    statement="Each goes to its own norm's solution and not the other way round.",
    check=CHECK,
    measured="lead of the own solution's correlation over the other's",
    asked=Limit(0.0, "> {}", "the interval must lie above zero"),
)
def own_norm(tables, asked, **which):
    """The lead of the own norm's correlation over the other's, for either parametrisation; the smaller is the value."""
    ends = last(tables.own(**which))
    leads = {}
    for parametrisation, own, other in (("W", "corr_fro", "corr_nuc"), ("KQ", "corr_nuc", "corr_fro")):
        rows = some(where(ends, parametrisation=parametrisation), "instance with both solutions certified")
        ahead, behind = (single(only(rows, quantity=quantity)) for quantity in (own, other))
        # The interval is that of independent runs; these are the same runs, so that it is wider than it need be.
        std, count = np.hypot(ahead["std"], behind["std"]), ahead["instances"]
        leads[parametrisation] = Estimate(*mean_interval(ahead["mean"] - behind["mean"], std, count), count)
    parts = each(leads, "{} nearer to its own solution", asked)
    return Reading(*min(leads.values())[:3], ends["instances"].min(), parts)
