"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Heads beat both nulls after training, and only permutations before it."""
    rows = [(0, "held_out", step, value) for step, value in ((0, 0.1), (1500, 0.97))]
    for layer in (1, 2):
        for step in (0, 1500):
            late = step > 0
            values = {"alignment_above_permuted": 0.3, "alignment_above_random": 0.2 * late, "margin_own": 0.1}
            values |= {"predicted_above_random": 0.2 * late, "predicted_above_place": 0.2 * late}
            rows += [(layer, f"{name}_fro", step, value) for name, value in values.items()]
    return spread(pd.DataFrame(rows, columns=["layer", "quantity", "step", "value"]), by=0.02, instances=8)


FLIPS = {
    "trained_permuted": Flip("quantity == 'alignment_above_permuted_fro' and step == 0", "low", -0.1),
    "trained_random": Flip("quantity == 'alignment_above_random_fro' and step == 0", "high", 0.2),
    "trained_predicted": Flip("quantity == 'predicted_above_place_fro' and step == 1500 and layer == 2", "low", -0.1),
    "trained_margin": Flip("quantity == 'held_out' and step == 1500", "low", 0.5),
}
EMPTY = dict.fromkeys(FLIPS, (Empty("layer != 2", "measured head in layer 2"),))
