"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS


def table():
    rows = []
    for condition in ("all_support", "equal_scores", "neither", "contradicting"):
        for seed in range(20):
            for step, norm in ((1, 1.0), (1000, 8.0), (10000, 10.0)):
                settled = condition == "contradicting"
                row = {"condition": condition, "seed": seed, "step": step, "norm": 3.0 if settled else norm}
                rows.append(row | {"gradient_norm": 1e-9 if settled else 1e-4})
    return pd.DataFrame(rows)


FLIPS = {
    "diverges": Flip("condition == 'all_support' and seed == 7 and step == 10000", "norm", 8.0),
    "settles": Flip("condition == 'contradicting' and seed == 3 and step == 10000", "norm", 4.0, FAILS),
}
EMPTY = {
    "diverges": [Empty("step == 10000", "step about a decade before the last")],
    "settles": [Empty("step == 10000", "step about a decade before the last")],
}
