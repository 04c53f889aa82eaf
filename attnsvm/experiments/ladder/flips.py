"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, spread
from attnsvm.experiments.ladder.rungs import RUNGS


def table():
    """Alignment falls by a tenth per rung; decay on K and Q raises it a little, and the largest ends at the null."""
    rows = []
    for k, name in enumerate(RUNGS):
        for norm in ("fro", "nuc"):
            values = {"alignment": 0.98 - k / 10, "null": 0.3, "gain": 0.68 - k / 10}
            rows += [("rungs", name, None, "end", f"{q}_{norm}", v) for q, v in values.items()]
        rows.append(("rungs", name, None, "start", "gain_fro", 0.0))
        if k:
            rows.append(("rungs", name, None, "end", "change_alignment", -0.1))
    for name, factor in (("KQ", 0.3), ("W", 0.9)):
        for decay, gain in ((0.0, 0.2), (0.1, 0.3), (1.0, 0.0)):
            values = {"gain_nuc": gain, "train": 1.0, "effective_rank": 8.0 * factor**decay}
            if decay > 0:
                values |= {"change_alignment": 0.1, "rank_ratio": factor**decay}
            rows += [("decays", name, decay, "end", q, v) for q, v in values.items()]
    return spread(
        pd.DataFrame(rows, columns=["part", "name", "decay", "when", "quantity", "value"]), by=0.02, instances=20
    )


END = "when == 'end' and part == 'rungs' and name"
DECAY = "part == 'decays' and name == 'KQ' and quantity"


def without(part, name):
    return lambda t: t[(t["part"] != part) | (t["name"] != name)]


FLIPS = {
    "ladder_theorem": Flip(f"{END} == 'W' and quantity == 'null_fro'", "high", 0.99),
    "ladder_falls": Flip(f"{END} == '+ MLP' and quantity == 'change_alignment'", "high", 0.01),
    "ladder_above_null": Flip(f"{END} == '+ AdamW' and quantity == 'gain_nuc'", "low", -0.1),
    "ladder_decay_rank": Flip(
        "part == 'decays' and name == 'W' and quantity == 'rank_ratio' and decay == 1", "low", 0.1
    ),
    "ladder_decay_alignment": Flip(f"{DECAY} == 'change_alignment' and decay == 1", "low", -0.3),
    "ladder_decay_breaks": Flip(f"{DECAY} == 'gain_nuc' and decay == 1", "low", 0.1),
}
EMPTY = {
    "ladder_theorem": [Empty(without("rungs", "W"), "certified solution on 'W'")],
    "ladder_falls": [Empty(without("rungs", "+ MLP"), "certified solution on '+ MLP'")],
    "ladder_above_null": [Empty(without("rungs", "+ AdamW"), "certified solution on '+ AdamW'")],
    "ladder_decay_rank": [Empty(without("decays", "W"), "certified solution on 'W'")],
    "ladder_decay_alignment": [Empty(lambda t: t[~(t["decay"] > 0)], "weight decay above zero")],
    "ladder_decay_breaks": [Empty(lambda t: t[t["decay"] != 0], "certified solution on 'KQ'")],
}
