"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table():
    rows = [
        {"normalisation": "joint", "heads": H, "quantity": quantity, "step": 100, "mean": value, "instances": 64}
        for H in (1, 2, 4)
        for quantity, value in (("best_margin", 0.3 / H**0.5), ("global_heads", 0.65))
    ]
    table = pd.DataFrame(rows)
    return table.assign(std=0.1 * table["mean"])


FLIPS = {"multi_head_root": Flip("quantity == 'best_margin' and heads == 4", "mean", 0.3)}
EMPTY = {"multi_head_root": [Empty("heads > 1", "run with one head"), Empty("heads == 1", "run with several heads")]}
