"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table():
    ends = {("W", "corr_fro"): 0.99, ("W", "corr_nuc"): 0.8, ("KQ", "corr_fro"): 0.8, ("KQ", "corr_nuc"): 0.99}
    rows = [{"parametrisation": p, "quantity": q, "step": 100, "mean": v} for (p, q), v in ends.items()]
    return pd.DataFrame(rows).assign(std=0.05, instances=100)


FLIPS = {"own_norm": Flip("parametrisation == 'W' and quantity == 'corr_nuc'", "mean", 0.999)}
EMPTY = {"own_norm": [Empty("parametrisation == 'W'", "instance with both solutions certified")]}
