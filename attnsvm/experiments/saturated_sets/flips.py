"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table():
    """At two d, saturated runs near the generalised SVM, and barely selected ones far from it."""
    rows = [
        {"d": d, "seed": seed, "unselected_max": unselected, "svmeq_norm": value * (1 + 0.1 * (seed % 2))}
        for d in (4, 10)
        for unselected, value in ((1e-20, 0.003), (1e-12, 0.03), (1e-7, 0.1))
        for seed in range(20)
    ]
    return pd.DataFrame(rows).assign(mm=0.2, one_token=0.3)


FLIPS = {"generalised_svm_saturated": Flip("d == 4 and unselected_max < 1e-15", "svmeq_norm", 0.1)}
EMPTY = {
    "generalised_svm_saturated": [
        Empty("d == 10 or unselected_max > 1e-15", "saturated run at d = 4"),
        Empty("unselected_max < 1e-9", "run whose tokens are barely selected"),
    ]
}
