"""Made-up tables of `ladder` and `trained`: their claims hold there, and one number flips each."""

import pandas as pd

from attnsvm.audit.reading import IN_PART
from attnsvm.experiments.ladder.rungs import RUNGS


def ladder():
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
    table = pd.DataFrame(rows, columns=["part", "name", "decay", "when", "quantity", "value"])
    return table.assign(low=table["value"] - 0.02, high=table["value"] + 0.02, instances=20)


def trained():
    """Heads beat both nulls after training, and only permutations before it."""
    rows = [(0, "held_out", step, value) for step, value in ((0, 0.1), (1500, 0.97))]
    for layer in (1, 2):
        for step in (0, 1500):
            late = step > 0
            values = {"alignment_above_permuted": 0.3, "alignment_above_random": 0.2 * late, "margin_own": 0.1}
            values |= {"predicted_above_random": 0.2 * late, "predicted_above_place": 0.2 * late}
            rows += [(layer, f"{name}_fro", step, value) for name, value in values.items()]
    table = pd.DataFrame(rows, columns=["layer", "quantity", "step", "value"])
    return table.assign(low=table["value"] - 0.02, high=table["value"] + 0.02, instances=8)


TABLES = {"ladder": ladder, "trained": trained}

END = "when == 'end' and part == 'rungs' and name"
DECAY = "part == 'decays' and name == 'KQ' and quantity"
FLIPS = {
    "ladder_theorem": ("ladder", f"{END} == 'W' and quantity == 'null_fro'", "high", 0.99, IN_PART),
    "ladder_falls": ("ladder", f"{END} == '+ MLP' and quantity == 'change_alignment'", "high", 0.01, IN_PART),
    "ladder_above_null": ("ladder", f"{END} == '+ AdamW' and quantity == 'gain_nuc'", "low", -0.1, IN_PART),
    "ladder_decay_rank": (
        "ladder",
        "part == 'decays' and name == 'W' and quantity == 'rank_ratio' and decay == 1",
        "low",
        0.1,
        IN_PART,
    ),
    "ladder_decay_alignment": ("ladder", f"{DECAY} == 'change_alignment' and decay == 1", "low", -0.3, IN_PART),
    "ladder_decay_breaks": ("ladder", f"{DECAY} == 'gain_nuc' and decay == 1", "low", 0.1, IN_PART),
    "trained_permuted": ("trained", "quantity == 'alignment_above_permuted_fro' and step == 0", "low", -0.1, IN_PART),
    "trained_random": ("trained", "quantity == 'alignment_above_random_fro' and step == 0", "high", 0.2, IN_PART),
    "trained_predicted": (
        "trained",
        "quantity == 'predicted_above_place_fro' and step == 1500 and layer == 2",
        "low",
        -0.1,
        IN_PART,
    ),
    "trained_margin": ("trained", "quantity == 'held_out' and step == 1500", "low", 0.5, IN_PART),
}


def without(part, name):
    return lambda t: t[(t["part"] != part) | (t["name"] != name)]


EMPTY = [
    ("ladder_theorem", without("rungs", "W"), "certified solution on 'W'"),
    ("ladder_falls", without("rungs", "+ MLP"), "certified solution on '+ MLP'"),
    ("ladder_above_null", without("rungs", "+ AdamW"), "certified solution on '+ AdamW'"),
    ("ladder_decay_rank", without("decays", "W"), "certified solution on 'W'"),
    ("ladder_decay_alignment", lambda t: t[~(t["decay"] > 0)], "weight decay above zero"),
    ("ladder_decay_breaks", lambda t: t[t["decay"] != 0], "certified solution on 'KQ'"),
]
EMPTY += [
    (f"trained_{name}", lambda t: t[t["layer"] != 2], "measured head in layer 2")
    for name in ("permuted", "random", "predicted", "margin")
]
NEVER_EMPTY: set[str] = set()
