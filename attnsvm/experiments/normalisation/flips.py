"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table():
    return pd.DataFrame(
        {
            "normalisation": kind,
            "parametrisation": p,
            "step": k,
            "mean": v,
            "median": v / k,
            "low": v / 2,
            "high": 2 * v,
        }
        for kind in ("published", "exact")
        for p, v in (("W", 1e-6), ("KQ", 4e-3))
        for k in (1, 10, 100)
    ).assign(instances=100)


FLIPS = {
    "W_to_frobenius": Flip("normalisation == 'exact' and parametrisation == 'W'", "mean", 0.01),
    "KQ_to_nuclear": Flip("normalisation == 'exact' and parametrisation == 'KQ' and step == 100", "median", 0.1),
}
EMPTY = {
    "W_to_frobenius": [Empty("normalisation == 'published'", "certified solution of what was selected")],
    "KQ_to_nuclear": [Empty("step == 100", "step about a decade before the last")],
}
