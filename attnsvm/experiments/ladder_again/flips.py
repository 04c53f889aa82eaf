"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, spread

RUNGS = ("W", "+ v", "+ (K, Q)", "+ MLP", "+ embeddings", "+ AdamW")


def table():
    """Three falls, two rungs below them, and decays that lower the alignment or leave it."""
    rows = []
    for k, name in enumerate(RUNGS):
        values = {"alignment_fro": 0.98 - k / 10, "alignment_nuc": 0.95 - k / 10, "saturated": float(k == 0)}
        values |= {"change_alignment": -0.1} if k else {}
        rows += [("rungs", name, None, "end", quantity, value) for quantity, value in values.items()]
    for decay, change in ((0.1, 0.0), (1.0, -0.1)):
        values = {"change_alignment": change, "gain_nuc": 0.1, "train": 1.0, "rank_ratio": 0.4**decay}
        rows += [("decays", "KQ", decay, "end", quantity, value) for quantity, value in values.items()]
    columns = ["part", "name", "decay", "when", "quantity", "value"]
    found = spread(pd.DataFrame(rows, columns=columns), by=0.02, instances=20)
    none = {"part": "decays", "name": "KQ", "decay": 1.0, "when": "end", "quantity": "saturated", "value": 0.0}
    return pd.concat([found, spread([none], instances=20)], ignore_index=True)


FLIPS = {
    "ladder_falls_to_mlp": Flip("name == '+ MLP' and quantity == 'change_alignment'", "high", 0.01),
    "ladder_decay_lowers": Flip("quantity == 'change_alignment' and decay == 0.1", "high", 0.1),
    "ladder_decay_rest": Flip("quantity == 'gain_nuc' and decay == 1", "low", -0.1),
}
DECAYED = [Empty("part == 'rungs'", "weight decay above zero")]
EMPTY = {
    "ladder_falls_to_mlp": [Empty("name != '+ MLP'", "certified solution on '+ MLP'")],
    "ladder_decay_lowers": DECAYED,
    "ladder_decay_rest": DECAYED,
}
