"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities
from attnsvm.audit.reading import FAILS


def table():
    """Values after the last step, and a control that misses; more heads neither widen the margin nor win more often."""
    rows = []
    for H in (1, 2, 4):
        values = {"head": 1e-4 * H, "ratios": 1e-3 * (H - 1), "block": 1e-4 * H, "best_margin": 0.3 / H**0.5}
        values |= {"margin": 0.29 / H**0.5, "global_heads": 0.6} | ({"other_head": 1.0} if H > 1 else {})
        rows += quantities(values, "mean", normalisation="joint", heads=H)
    rows += quantities({"ratios": 0.2, "block": 0.02}, "mean", normalisation="separate", heads=4)
    table = pd.DataFrame(rows).assign(step=100, instances=64)
    return table.assign(std=0.01 * table["mean"])


FLIPS = {
    "heads_own_svm": Flip("quantity == 'head' and heads == 4", "mean", 0.5),
    "heads_norm_ratios": Flip("quantity == 'ratios' and normalisation == 'separate'", "mean", 0.01),
    "heads_block_svm": Flip("quantity == 'block' and heads == 2", "mean", 0.5),
    "multi_head": Flip("quantity == 'best_margin' and heads == 4", "mean", 0.6, before=FAILS),
}
EMPTY = {
    "heads_own_svm": [Empty("heads == 1", "saturated instance under a joint norm with the quantity other_head")],
    "heads_norm_ratios": [Empty("heads == 1 or normalisation == 'separate'", "run with several heads")],
    "heads_block_svm": [Empty("heads == 1 or normalisation == 'separate'", "run with several heads")],
    "multi_head": [Empty("heads == 1", "second value of heads")],
}
