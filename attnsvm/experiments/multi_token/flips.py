"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Flip
from attnsvm.audit.reading import HOLDS


def table():
    rows = [
        {"d": d, "panel": "curve", "solution": name, "step": 2001, "value": value}
        for d in (4, 10)
        for name, value in (("svmeq", 0.006), ("svmeq_norm", 0.008), ("mm", 0.05), ("one_token", 0.1))
    ]
    rows += [
        {"d": 10, "panel": "scatter", "solution": "svmeq", "step": 2001, "value": 0.006 + 1e-4 * (s % 3), "seed": s}
        for s in range(30)
    ]
    return pd.DataFrame(rows).assign(accepted=30, tried=300)


FLIPS = {
    "generalised_svm": Flip("d == 4 and solution == 'svmeq_norm' and panel == 'curve'", "value", 0.5),
    "print_oracle": Flip("solution == 'svmeq_norm'", "value", 0.006, HOLDS),
    "print_rejections": Flip("d == 10", "tried", 30, HOLDS),
}
EMPTY = dict.fromkeys(FLIPS, "the experiment ends with a sentence where it has no instance")
